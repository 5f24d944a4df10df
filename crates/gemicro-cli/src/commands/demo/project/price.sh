#!/bin/sh
# Prints the price with tax, in cents: price.sh NET_CENTS TAX_PERCENT

net=$1
tax=$2

echo $(( net * (100 + tax) / 100 ))

#!/bin/sh
# Measures coverage with what rustc has built in, and writes coverage/lcov.info with paths relative to this folder.
# LLVM_COV and LLVM_PROFDATA name the tools of LLVM; without them those on the PATH are taken.
set -eu
cov=${LLVM_COV:-$(command -v llvm-cov-19 || command -v llvm-cov)}
profdata=${LLVM_PROFDATA:-$(command -v llvm-profdata-19 || command -v llvm-profdata)}
profiles=$PWD/target/profiles
rm -rf "$profiles"
export CARGO_TARGET_DIR="$PWD/target/measured" RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$profiles/%p-%m.profraw"
cargo test --offline --quiet
set --
for binary in $(cargo test --offline --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p'); do
    set -- "$@" --object "$binary"
done
"$profdata" merge --sparse "$profiles"/*.profraw --output "$profiles/all.profdata"
mkdir -p coverage
"$cov" export "$@" --instr-profile "$profiles/all.profdata" --format lcov --ignore-filename-regex '/(registry|rustc)/' |
    sed "s|^SF:$PWD/|SF:|" > coverage/lcov.info

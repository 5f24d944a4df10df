"""Serves a GGUF model on loopback with llama.cpp's own HTTP server, on one thread.

Prints the address once the model is loaded, and ends when its standard input is closed.
"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"local"}
params.n_ctx = 16384
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.port = 0
params.sampling.seed = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()

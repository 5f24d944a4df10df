//! `cargo xtask help`: lists the commands.

const TEXT: &str = "\
cargo xtask <command>

  ci                    the whole gate: setup, fmt, clippy, tidy, deny, tests, docs, smoke run, research scores, faults
  setup                 finds or installs what the tests need (into .tools/)
  tidy                  house rules: file length, module docs, crate arrows, names, calls, links
  deny                  licences, banned crates and crate sources
  bench [NAME]          journal, queue, batch, growth, index, startup, branches, mcp, warm, guard, history, chat, pipeline, research; without a name all
    bench history --folder DIR
                        what prompts keep of a folder in the format of the conversation corpus
    bench research [--check] [--corpus DIR]
                        scores on all corpora, and scripted models;
                        --check: fails below the bars
  faults                disturbs runs of every kind (kills, full disk, damaged store, network, agents, clock), resumes them and
                        compares the results; without options a selection of about 230
    faults [--kind K] [--store sqlite|postgres] [--fault F] [--seed N] [--count N] [--workers N] [--program FILE] [--all] [--table FILE]
                        --all: the full matrix; --table: also writes the table to FILE; --program: builds nothing
  live                  a few real calls (needs GEMINI_API_KEY or OPENAI_BASE_URL), compared with the simulator
    live --local [--questions N] [--program FILE]
                        research with a small real model on this machine (1.1 GB into .tools/), beside --offline:
                        N questions of each set (default 1)
  help                  this text";

/// Prints the list of commands.
pub(crate) fn run() {
    println!("{TEXT}");
}

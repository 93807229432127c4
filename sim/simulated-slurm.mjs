#!/usr/bin/env node
// simulated-slurm: the door of `src/demo/cluster.main.ts` for programs that may not import the simulator: they start it by this path.
import "./src/demo/cluster.main.ts";

/** node-hardware: the CPUs, memory and generic resources that a node has, and that a job asks of each of its nodes. */

/** What a node has in all, whoever uses it now, as it is configured. */
export interface NodeHardware {
  readonly cpus: number;
  readonly memoryMb: number;
  /** As sinfo prints it (`evidence/gres.ts`): `gpu:h100:8(S:0-1)`. Empty: none. */
  readonly gres: string;
}

/** What each node of a job must have, at least. */
export interface NodeDemand {
  /** Absent: Slurm did not say. */
  readonly cpusPerNode?: number;
  /** Of a job that asks by the CPU: what one CPU needs. Absent: none is asked for. */
  readonly memoryMbPerNode?: number;
  /** As squeue prints it (`evidence/gres.ts`): `gres:gpu:h100:2`. Absent: none. */
  readonly gresPerNode?: string;
}

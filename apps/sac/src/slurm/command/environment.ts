/**
 * environment: the variables that Slurm's commands shall see.
 *
 * Keeps   nothing of the operator's shell changes what we ask or how it is answered: SQUEUE_STATES would hide jobs, and
 *         SCANCEL_PARTITION would turn a cancel into nothing.
 * Source  ENVIRONMENT VARIABLES in man squeue, sinfo, scontrol, scancel.
 */
const passedOn = ["PATH", "HOME", "LD_LIBRARY_PATH", "SLURM_CONF", "SLURM_CONF_SERVER"] as const;

export function commandEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const passed: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const name of passedOn) {
    const value = env[name];
    if (value !== undefined) passed[name] = value;
  }
  return { ...passed, LC_ALL: "C", SLURM_TIME_FORMAT: "%s" };
}

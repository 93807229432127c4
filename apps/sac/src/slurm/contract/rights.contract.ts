/** What an Operator account of slurmdbd may do, who is neither root nor SlurmUser (slurm.md §2.7). */
import { expect } from "vitest";
import { held, submitted } from "../contract-world.ts";
import { storyOfAccounted, type Story } from "./story.ts";

export const rightStories: readonly Story[] = [
  storyOfAccounted(
    ["2.7 operator"],
    "an Operator requeues, constrains, releases, starts, holds and cancels others' jobs; he may not mark them",
    async (world) => {
      const job = await submitted(world, { does: "fail", user: "owner" }, { state: "FAILED" });
      expect(await job.scontrol("requeuehold", "operator")).toBe("0");
      await job.until({ ...held, restartCount: 1 });
      const denied = "1 Access/permission denied for job N";
      expect(await job.update(["AdminComment=x"], "operator")).toBe(denied);
      expect(await job.update(["ExcNodeList=n1", "AdminComment=x"], "operator")).toBe(denied);
      expect(await job.now()).toMatchObject({ excludedNodes: [], adminComment: "" }); // Nothing of it was done.
      expect(await job.update(["ExcNodeList=n1", "Dependency=singleton"], "operator")).toBe("0");
      expect(await job.scontrol("hold", "operator")).toBe("0");
      expect(await job.holdReason()).toBe("admin");
      expect(await job.scontrol("release", "operator")).toBe("0");
      expect(await job.update(["StartTime=now+2"], "operator")).toBe("0");
      expect(await job.now()).toMatchObject({ excludedNodes: ["n1"], restartCount: 1 });

      const running = await submitted(world, { does: "run", user: "owner" }, { state: "RUNNING" });
      expect(await running.scontrol("requeuehold Incomplete", "operator")).toBe("0");
      await running.until({ ...held, restartCount: 1 });
      for (const one of [job, running]) expect(await one.scancel("operator")).toBe("0");
      const { rc, stderr } = await world.type(
        "operator",
        "scontrol",
        "update",
        "NodeName=n1",
        "State=DRAIN",
        "Reason=x",
      );
      expect([rc, stderr.trim()]).toEqual([1, "slurm_update error: Invalid user id"]);
    },
  ),
];

/** course-part: how one attempt went, asked for and drawn by itself: nothing else on the page waits for it. */
import { lazy, Suspense } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AttemptStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { courseQuery } from "../api/queries.ts";
import { useNow } from "../parts/clock.tsx";
import { Empty, Loading, NotYet } from "../parts/states.tsx";
import { drawnOf } from "./course-words.ts";
import { rootAtOf } from "./story.ts";

/** Drawing comes with a part of its own: what is asked first is in words. */
const Course = lazy(async () => ({ default: (await import("./course.tsx")).Course }));

export function CoursePart({ jobId, story }: { readonly jobId: string; readonly story: AttemptStoryJson }) {
  const now = useNow();
  const index = story.job?.attemptIndex ?? 0;
  const { data, error, refetch } = useQuery(courseQuery(jobId, index));
  const what = `how attempt ${index} went`;
  if (data === undefined) return <NotYet error={error} what={what} retry={() => void refetch()} />;
  const course = drawnOf(data.attempts?.[0] ?? {});
  if (course.points.length < 2)
    return (
      <Empty title="No curve: fewer than two steps were seen in its log. What is read as a step stands in docs/job-authors.md." />
    );
  return (
    <Suspense fallback={<Loading what={what} />}>
      <Course course={course} rootAt={rootAtOf(story)} now={now} />
    </Suspense>
  );
}

/** store-parts: what the store keeps beside attempts and Advice; each part has its file. */
import type { AuditTrail } from "./audit/audit-trail.ts";
import type { ClusterOrderStore } from "./cluster-order.ts";
import type { CourseStore } from "./course-store.ts";
import type { Decisions } from "./decisions.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import type { FiguresStore } from "./figures-store.ts";
import type { GraphStore } from "./graph-store.ts";
import type { NodeLogStore } from "./node-log-store.ts";
import type { NoticeStore } from "./notice-store.ts";
import type { NowStore } from "./now-store.ts";
import type { Overrides } from "./override-order.ts";
import type { Retention } from "./retention/retention.ts";
import type { RecoverySequences } from "./sequence/recovery-sequence.ts";
import type { StoryStore } from "./story-store.ts";
import type { TokenStore } from "./token-record.ts";
import type { TraceStore } from "./trace-store.ts";

export interface StoreParts
  extends AuditTrail,
    ClusterOrderStore,
    CourseStore,
    Decisions,
    EvidenceStore,
    FiguresStore,
    GraphStore,
    NodeLogStore,
    NoticeStore,
    NowStore,
    RecoverySequences,
    StoryStore,
    TokenStore,
    TraceStore,
    Overrides,
    Retention {}

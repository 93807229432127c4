/**
 * roles: who may call what: the one table, for both transports and both pairs of listeners.
 *
 * Keeps   a call without a row here is the owner's alone: what somebody forgot to think about stays closed. `roles.test.ts` asks for
 *         every cell on both transports, and for a row of every RPC.
 * Source  docs/access.md; docs/decisions/0016.
 */
import type { Role } from "../manager/token-record.ts";

/** `owner`: whoever holds the token file of the server itself, and everybody on an insecure one. May call everything. */
export type Right = Role | "owner";

/** Whoever it is, also without a token. */
type Rule = readonly Role[] | "everybody";

const readers = ["viewer", "operator", "controller"] as const;
const anyRole = ["viewer", "operator", "controller", "watcher"] as const;

/** By `package.Service/Method`, as gRPC names its path. */
export const mayCall: Readonly<Record<string, Rule>> = {
  "heimdall.v1.HeimdallService/GetJobs": anyRole,
  "heimdall.v1.HeimdallService/GetJob": anyRole,
  "heimdall.v1.HeimdallService/GetJobsBySchedulerId": anyRole,
  "heimdall.v1.HeimdallService/GetWorkflows": anyRole,
  "heimdall.v1.HeimdallService/GetWorkflow": anyRole,
  "heimdall.v1.HeimdallService/ListAdvice": readers,
  "heimdall.v1.HeimdallService/GetRecoverySequence": readers,
  "heimdall.v1.HeimdallService/CreateOrUpdateJob": ["controller"],
  "heimdall.v1.HeimdallService/UpdateAdviceReconciliationStatus": ["controller"],
  "heimdall.v1.HeimdallService/RecordRecoveryMilestone": ["controller"],

  "heimdall.v1.AuditService/GetAuditEvents": readers,
  "heimdall.v1.AuditService/CreateAuditEvents": ["controller", "watcher"],

  "reprise.v1.RecoveryService/WhoAmI": anyRole,
  "reprise.v1.RecoveryService/Now": readers,
  "reprise.v1.RecoveryService/ListJobs": readers,
  "reprise.v1.RecoveryService/Explain": readers,
  "reprise.v1.RecoveryService/Course": readers,
  "reprise.v1.RecoveryService/Figures": readers,
  "reprise.v1.RecoveryService/Shadow": readers,
  "reprise.v1.RecoveryService/ListNodes": readers,
  "reprise.v1.RecoveryService/GetMode": readers,
  "reprise.v1.RecoveryService/Watch": anyRole,
  "reprise.v1.RecoveryService/SetOverride": ["operator"],
  "reprise.v1.RecoveryService/WithdrawAdvice": ["operator"],
  "reprise.v1.RecoveryService/SetMode": ["operator"],
  "reprise.v1.RecoveryService/SetBrake": ["operator"],
  "reprise.v1.RecoveryService/ClearNode": ["operator"],
  "reprise.v1.ObservationService/ReportPass": ["controller"],
  "reprise.v1.ObservationService/AcquireLease": ["controller"],
  "reprise.v1.ObservationService/ListWork": ["controller"],
  "reprise.v1.SignalService/ReportSignals": ["watcher"],
  "reprise.v1.SignalService/ReportNodeLines": ["watcher"],
  "reprise.v1.SignalService/ReportCourses": ["watcher"],
  "reprise.v1.WatchService/ClaimTargets": ["watcher"],
  "reprise.v1.WatchService/ClaimNodeLogs": ["watcher"],

  // Only the owner makes tokens: a token must not be able to make a stronger one.
  "reprise.v1.AccessService/CreateToken": [],
  "reprise.v1.AccessService/ListTokens": [],
  "reprise.v1.AccessService/RevokeToken": [],

  // Who is to sign in has no token yet.
  "reprise.v1.SignInService/GetSignIn": "everybody",
  "reprise.v1.SignInService/SignIn": "everybody",

  // What is in them is public: whether the server lives, and the contract.
  "grpc.health.v1.Health/Check": "everybody",
  "grpc.health.v1.Health/List": "everybody",
  "grpc.health.v1.Health/Watch": "everybody",
  "grpc.reflection.v1.ServerReflection/ServerReflectionInfo": "everybody",
  "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": "everybody",
};

/** The roles that may use the internal listeners at all. */
export const internalRoles: readonly Role[] = ["controller", "watcher"];

/**
 * health: gRPC's own health protocol, for probes. Needs no token.
 *
 * Gives   SERVING or NOT_SERVING for the whole server (the empty name) and for each service; NOT_FOUND for another name.
 *         `Watch` tells the status once and stays open: a server that stops ends its streams.
 * Source  grpc/grpc, doc/health-checking.md.
 */
import type { DescService } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, Server } from "@grpc/grpc-js";
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Status,
} from "@reprise/protocol/gen/grpc/health/v1/health_pb.ts";
import { serviceDefinition } from "@reprise/protocol/grpc.ts";
import { grpcCode } from "@reprise/protocol/refusal.ts";

export function addHealth(server: Server, services: readonly DescService[], isReady: () => boolean): void {
  const names = new Set(["", ...services.map(({ typeName }) => typeName)]);
  const statusOf = ({ service }: HealthCheckRequest) => {
    if (!names.has(service)) return undefined;
    return isReady() ? Status.SERVING : Status.NOT_SERVING;
  };
  const check: handleUnaryCall<HealthCheckRequest, object> = ({ request }, callback) => {
    const status = statusOf(request);
    if (status !== undefined) callback(null, { status });
    else callback({ code: grpcCode.notFound, details: `${JSON.stringify(request.service)} is not served here` });
  };
  const watch: handleServerStreamingCall<HealthCheckRequest, object> = (call) => {
    call.write({ status: statusOf(call.request) ?? Status.SERVICE_UNKNOWN });
  };
  server.addService(serviceDefinition(Health), { check, watch });
}

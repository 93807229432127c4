/** page.main: the dashboard, started: its router, the answers that it keeps, and what tells it to look again. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiFailure } from "./api/client.ts";
import { finishSignIn } from "./api/oidc.ts";
import { takeTokenFromAddress } from "./api/session.ts";
import { showTheme } from "./parts/theme.ts";
import { makeRouter } from "./router.tsx";
import "./style/page.css";

/** The slow poll is the truth; the stream of changes only makes it faster. */
const pollMs = 15_000;
const triesMax = 2;

showTheme();
takeTokenFromAddress();
await finishSignIn();
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchInterval: pollMs,
      staleTime: 1_000,
      // What was refused is refused again.
      retry: (count, error) => count < triesMax && !(error instanceof ApiFailure && error.status >= 400),
    },
  },
});
const root = document.getElementById("root");
if (root === null) throw new Error("the document has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);

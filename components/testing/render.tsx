import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type RenderResult, render } from '@testing-library/react'
import type { ReactElement } from 'react'

/** Renders a part of the page with a query client of its own that holds `replies`, by query key, and asks nobody. */
export function renderPart(
  part: ReactElement,
  replies: (readonly [key: readonly unknown[], data: unknown])[] = [],
): RenderResult {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  for (const [key, data] of replies) client.setQueryData(key, data)
  return render(<QueryClientProvider client={client}>{part}</QueryClientProvider>)
}

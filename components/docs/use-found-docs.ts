import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { fetchJson } from '@/lib/browser/api'
import type { Found } from '@/lib/contract/reference'

/** The documentation changes with the server: what was found once is found again. */
const FRESH_MS = 600_000
const NONE: Found[] = []

/** What the server finds for a text; while it looks, what was found before. */
export function useFoundDocs(query: string): { found: Found[]; isLooking: boolean } {
  const text = useDeferredValue(query.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['docs', 'search', text],
    queryFn: ({ signal }) =>
      fetchJson<{ data: Found[] }>(`/api/docs/search?${new URLSearchParams({ q: text })}`, { signal }),
    enabled: text !== '',
    staleTime: FRESH_MS,
    retry: false,
    placeholderData: keepPreviousData,
  })
  return { found: text === '' ? NONE : (data?.data ?? NONE), isLooking: isFetching || text !== query.trim() }
}

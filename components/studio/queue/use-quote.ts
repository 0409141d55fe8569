'use client'

import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type JobArea, quoteJob } from '@/components/studio/jobs/api'
import type { PriceBefore } from '@/components/studio/parts/make-bar'
import { failureOf } from '@/lib/browser/failure'
import type { Usd } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

/** A price is asked for when the form has been still for this long. */
const STILL_MS = 350
/** Operators change prices with a restart. */
const FRESH_MS = 60_000

export const quoteQuery = (area: JobArea, body: object) =>
  queryOptions({
    queryKey: ['studio', 'quote', area, JSON.stringify(body)],
    queryFn: ({ signal }): Promise<Usd> => quoteJob(area, body, signal),
    staleTime: FRESH_MS,
    retry: false,
  })

/** `problem`: why the service would not make it at all. */
export type Quoted = { price?: Usd; isOld: boolean; problem?: string }

/** What a job costs as the form is; the last price stays until the next one is known. No body: nothing is asked. */
export function useQuote(area: JobArea, body: object | undefined): Quoted {
  const wanted = body && JSON.stringify(body)
  const still = useStill(wanted)
  const { data, error, isPlaceholderData } = useQuery({
    ...quoteQuery(area, still === undefined ? {} : JSON.parse(still)),
    enabled: still !== undefined,
    placeholderData: keepPreviousData,
  })
  if (wanted === undefined) return { isOld: false }
  const isOld = isPlaceholderData || still !== wanted
  if (!error) return { isOld, ...(data !== undefined && { price: data }) }
  const { code, message } = failureOf(error)
  // Without an answer it is asked again when it is queued.
  const isRefused = code !== 'CONNECTION_LOST' && code !== 'OFFLINE' && still === wanted
  return { isOld, ...(isRefused && { problem: message }) }
}

/** A text once it has been the same for a while; the first one at once. */
function useStill(text: string | undefined): string | undefined {
  const [still, setStill] = useState(text)
  useEffect(() => {
    if (still === text) return
    const timer = setTimeout(() => setStill(text), still === undefined ? 0 : STILL_MS)
    return () => clearTimeout(timer)
  }, [text, still])
  return still
}

/** A quote as the bar beside the button says it. */
export function priceBefore({ price, isOld }: Quoted): { price: PriceBefore; note?: string } {
  if (price === undefined) return { price: { kind: 'unknown' } }
  if (price === 0n) return { price: { kind: 'free' } }
  return {
    price: { kind: 'exact', usd: price },
    note: isOld ? t('Getting price…') : t('Failed generations are free.'),
  }
}

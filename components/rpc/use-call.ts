import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { MethodDoc, ParamProblem } from '@/components/rpc/methods/types'
import type { RequestDraft } from '@/components/rpc/request-draft'
import { type Offer, offerOf } from '@/lib/contract/rpc-methods'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

export const methodQuery = (family: RpcFamily, method: string) =>
  queryOptions({
    queryKey: ['rpc', 'method', family, method],
    queryFn: async () => {
      const { knownMethod } = await import('@/components/rpc/panels')
      return await knownMethod(family, method)
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Without a connection it fails at once, or comes from the browser's cache.
    networkMode: 'always',
  })

export const summariesQuery = (family: RpcFamily) =>
  queryOptions({
    queryKey: ['rpc', 'summaries', family],
    queryFn: async () => (await import('@/components/rpc/panels')).methodSummaries(family),
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  })

export type CheckedCall = {
  offer: Offer
  // `undefined` while it is fetched and when that failed; `null` for an unknown method.
  doc: MethodDoc | null | undefined
  isLoading: boolean
  hasFailed: boolean
  retry: () => void
  params: unknown
  problems: ParamProblem[]
}

const NO_PARAMS: unknown = []
const NO_PROBLEMS: ParamProblem[] = []

export function useCall({ network, method, params }: RequestDraft): CheckedCall {
  const { data, isPending, isError, refetch } = useQuery(methodQuery(network.family, method))
  const offer = useMemo(() => offerOf(network.family, method), [network, method])
  const shown = params ?? data?.start ?? NO_PARAMS
  const problems = useMemo(() => data?.check(shown) ?? NO_PROBLEMS, [data, shown])
  return {
    offer,
    doc: data === null ? null : data?.doc,
    isLoading: isPending,
    hasFailed: isError,
    retry: () => void refetch(),
    params: shown,
    problems,
  }
}

export const hasErrors = (problems: readonly ParamProblem[]): boolean =>
  problems.some(({ severity }) => severity === 'error')

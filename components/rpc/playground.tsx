'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect, useRef, useState } from 'react'
import { TopBar } from '@/components/common/top-bar'
import type { RpcCallDraft } from '@/components/rpc/client'
import { NetworkRail } from '@/components/rpc/network-rail'
import { overviewQuery } from '@/components/rpc/networks'
import { Request } from '@/components/rpc/request'
import {
  chooseNetwork,
  draftAt,
  followAddress,
  readRequestDraft,
  titleOf,
  useRequestDraft,
} from '@/components/rpc/request-draft'
import { Response } from '@/components/rpc/response'
import { type Call, cancelRun, isBroadcast, runCall, useRpcRun } from '@/components/rpc/run'
import { RUN_ANYWAY_ID, RunBar } from '@/components/rpc/run-bar'
import { SavedRequests } from '@/components/rpc/saved-requests'
import { hasErrors, methodQuery, useCall } from '@/components/rpc/use-call'
import { announce } from '@/components/ui/announcer'
import { STOP_EVENT } from '@/lib/browser/commands'
import { useDocumentTitle } from '@/lib/browser/document-title'
import { t } from '@/lib/i18n/t'

const ConfirmSend = dynamic(() => import('@/components/rpc/run-notices').then((module) => module.ConfirmSend), {
  ssr: false,
})

type PlaygroundProps = { network?: string; method?: string }

type RunOptions = { isDayWaived?: boolean }

export function Playground({ network, method }: PlaygroundProps) {
  const [first] = useState(() => draftAt(network, method))
  const draft = useRequestDraft(first)
  const run = useRpcRun()
  const call = useCall(draft)
  const overview = useQuery(overviewQuery())
  const client = useQueryClient()
  const [unconfirmed, setUnconfirmed] = useState<{ call: Call; options: RunOptions }>()
  useEffect(followAddress, [])
  useDocumentTitle(titleOf(draft))

  const start = (next: Call, options: RunOptions = {}) => {
    if (isBroadcast(next)) setUnconfirmed({ call: next, options })
    else void runCall(next, options)
  }
  const runDraft = async (options: RunOptions = {}) => {
    // Right after a method was chosen what it starts with may still be on its way.
    const now = readRequestDraft()
    const known = await client.ensureQueryData(methodQuery(now.network.family, now.method)).catch(() => null)
    const params = now.params ?? known?.start ?? []
    start({ network: now.network, calls: [{ method: now.method, params }], isBatch: false }, options)
  }
  const rerun = (options?: RunOptions) => {
    if (draft.view === 'batch' && run.call) start(run.call, options)
    else void runDraft(options)
  }
  const runBatch = (calls: readonly RpcCallDraft[]) =>
    start({ network: readRequestDraft().network, calls, isBatch: true })

  const state = overview.data?.stateOf.get(draft.network.slug)
  useRunKeys({
    isOn: draft.view === 'call',
    isBlocked: hasErrors(call.problems),
    isConnected: state?.state !== 'unconfigured',
    isUnderWay: run.phase === 'running' || run.isWaiting,
    onRun: () => void runDraft(),
  })
  const response = useRef<HTMLElement>(null)
  useScrollTo(response, run.answer)
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">RPC</h1>
      </TopBar>
      <div className="thin-scroll flex min-h-0 flex-1 flex-col overflow-y-auto md:grid md:grid-cols-2 md:grid-rows-[minmax(0,1fr)_auto_auto] md:overflow-hidden lg:grid-cols-[14.5rem_minmax(0,1fr)_minmax(0,1fr)]">
        <nav aria-label={t('Networks')} className="hidden min-h-0 flex-col border-e border-line lg:row-span-3 lg:flex">
          <h2 className="sr-only">{t('Networks')}</h2>
          <NetworkRail chosen={draft.network} onPick={chooseNetwork} />
        </nav>
        <Request draft={draft} call={call} state={state} onRunBatch={runBatch} />
        <RunBar draft={draft} call={call} run={run} state={state} onRun={rerun} />
        <Response ref={response} draft={draft} run={run} onRun={rerun} />
        <SavedRequests />
      </div>
      {unconfirmed && (
        <ConfirmSend
          network={unconfirmed.call.network}
          isLocal={state?.isLocal ?? false}
          method={unconfirmed.call.calls.find((one) => isBroadcast({ calls: [one] }))?.method ?? ''}
          onSend={() => {
            setUnconfirmed(undefined)
            void runCall(unconfirmed.call, unconfirmed.options)
          }}
          onClose={() => setUnconfirmed(undefined)}
        />
      )}
    </>
  )
}

type RunKeys = { isOn: boolean; isConnected: boolean; isBlocked: boolean; isUnderWay: boolean; onRun: () => void }

// Ctrl or Cmd with Enter runs, from wherever the focus is; Escape cancels.
function useRunKeys(keys: RunKeys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { isOn, isConnected, isBlocked, onRun } = latest.current
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      // A key that is held down runs once.
      if (!isOn || !isRun || event.defaultPrevented || event.repeat || event.isComposing || isInDialog(event.target))
        return
      event.preventDefault()
      if (!isConnected) return announce(t('Not connected to this server.'))
      if (!isBlocked) return onRun()
      announce(t('Fix the errors to run.'))
      document.getElementById(RUN_ANYWAY_ID)?.focus()
    }
    const onStop = (event: Event) => {
      if (!latest.current.isUnderWay) return
      event.preventDefault()
      cancelRun()
    }
    const listening = new AbortController()
    window.addEventListener('keydown', onKeyDown, { signal: listening.signal })
    window.addEventListener(STOP_EVENT, onStop, { signal: listening.signal })
    return () => listening.abort()
  }, [])
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('[role="dialog"], [role="menu"]') !== null

function useScrollTo(place: React.RefObject<HTMLElement | null>, answer: unknown): void {
  const shown = useRef(answer)
  useEffect(() => {
    if (answer === undefined || answer === shown.current) return
    shown.current = answer
    const isColumn = !window.matchMedia('(width >= 56.25rem)').matches
    if (isColumn) place.current?.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }, [answer, place])
}

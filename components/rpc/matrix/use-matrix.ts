import { useEffect, useRef, useState } from 'react'
import { ended, type MatrixRow, type Sorting, sortedRows, waitingRows, withLine } from '@/components/rpc/matrix/rows'
import { askMatrix, type MatrixCall } from '@/components/rpc/matrix-request'
import { announce } from '@/components/ui/announcer'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient } from '@/lib/browser/queries'
import { forgetSession } from '@/lib/browser/session'
import { countSpent, maySpend } from '@/lib/browser/spending'
import type { MatrixLine } from '@/lib/contract/rpc'
import { plural, t } from '@/lib/i18n/t'

export type MatrixState = {
  phase: 'idle' | 'asking' | 'running' | 'ended'
  call?: MatrixCall
  rows: MatrixRow[]
  sorting?: Sorting
  failure?: Failure
  /** Nothing was sent: the person closed the sign-in or top-up dialog. */
  isRefused: boolean
}

export function useMatrix() {
  const [state, setState] = useState<MatrixState>({ phase: 'idle', rows: [], isRefused: false })
  const running = useRef<AbortController>(undefined)
  const latest = useRef(state)
  useEffect(() => {
    latest.current = state
  })
  useEffect(() => () => running.current?.abort(), [])

  const run = async (call: MatrixCall) => {
    if (running.current) return
    const controller = new AbortController()
    running.current = controller
    const startedAt = Date.now()
    const before = latest.current
    const lines: MatrixLine[] = []
    setState(({ failure: _, ...now }) => ({ ...now, phase: 'asking', isRefused: false }))
    try {
      if (!(await maySpend(t('To run this call')))) {
        return setState((now) => ({ ...restored(now, before), isRefused: true }))
      }
      setState((now) => ({ ...now, phase: 'running', call, rows: waitingRows(call.networks) }))
      announce(plural(call.networks.length, { one: 'Calling {count} network', other: 'Calling {count} networks' }))
      await askMatrix(
        call,
        (line) => {
          lines.push(line)
          setState((now) => ({ ...now, rows: withLine(now.rows, line, call.method) }))
        },
        controller.signal,
      )
      setState((now) => endedState(now, 'lost'))
      announce(
        t('{answered} of {asked} networks responded, {faults} with an error', {
          answered: lines.length,
          asked: call.networks.length,
          faults: lines.filter(isFault).length,
        }),
      )
    } catch (error) {
      if (isSessionOver(error)) forgetSession(queryClient())
      if (controller.signal.aborted) {
        setState((now) => endedState(now, 'cancelled'))
        return announce(t('Cancelled'))
      }
      const failure = failureOf(error)
      // Where nothing came, what came before is worth more than a row of blanks.
      setState((now) => ({ ...(lines.length === 0 ? restored(now, before) : endedState(now, 'lost')), failure }))
      announce(t('Call failed: {why}', { why: failure.message }))
    } finally {
      running.current = undefined
      countSpent(
        lines.reduce((sum, { costUsd }) => sum + costUsd, 0),
        startedAt,
      )
    }
  }
  return {
    state,
    run,
    cancel: () => running.current?.abort(),
    sort: (sorting: Sorting) => setState((now) => ({ ...now, sorting, rows: sortedRows(now.rows, sorting) })),
  }
}

const isFault = ({ outcome }: MatrixLine): boolean => outcome !== 'result'

function endedState(now: MatrixState, rest: 'lost' | 'cancelled'): MatrixState {
  const rows = now.phase === 'running' ? ended(now.rows, rest) : now.rows
  return {
    ...now,
    phase: rows.length > 0 ? 'ended' : 'idle',
    rows: now.sorting ? sortedRows(rows, now.sorting) : rows,
  }
}

const restored = (now: MatrixState, { rows, call }: MatrixState): MatrixState => ({
  ...now,
  phase: rows.length > 0 ? 'ended' : 'idle',
  rows,
  ...(call && { call }),
})

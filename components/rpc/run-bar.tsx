'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { creditsBefore, formatCallCost, formatCredits, overviewQuery } from '@/components/rpc/networks'
import type { RequestDraft } from '@/components/rpc/request-draft'
import { cancelRun, type RunState, waitToRun } from '@/components/rpc/run'
import type { CheckedCall } from '@/components/rpc/use-call'
import { Button } from '@/components/ui/button'
import { useCountdown } from '@/components/ui/use-countdown'
import type { NetworkState } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type RunBarProps = {
  draft: RequestDraft
  call: CheckedCall
  run: RunState
  state: NetworkState | undefined
  onRun: (options?: { isDayWaived?: boolean }) => void
}

const RunNotice = dynamic(() => import('@/components/rpc/run-notices').then((module) => module.RunNotice), {
  ssr: false,
})

export const RUN_ANYWAY_ID = 'rpc-run-anyway'

export function RunBar({ draft, call, run, state, onRun }: RunBarProps) {
  const waitSeconds = useCountdown(run.waitUntil)
  const isBusy = run.phase !== 'idle'
  const isBatch = draft.view === 'batch'
  const isConnected = state?.state !== 'unconfigured'
  const errors = isBatch ? 0 : call.problems.filter(({ severity }) => severity === 'error').length
  return (
    <div className="z-10 border-t border-line bg-paper px-4 pb-[env(safe-area-inset-bottom)] empty:hidden max-md:sticky max-md:bottom-0 max-md:order-last md:col-start-1 md:row-start-2 md:pb-0 lg:col-start-2">
      {(run.refusal || run.failure?.code === 'CAP_PER_DAY') && <RunNotice run={run} isBusy={isBusy} onRun={onRun} />}
      {waitSeconds > 0 && <Wait isWaiting={run.isWaiting} seconds={isBatch ? waitSeconds : undefined} />}
      {errors > 0 && isConnected && !isBusy && waitSeconds === 0 && (
        <Row>
          <p className="text-danger">
            {plural(errors, { one: 'Fix {count} error to run.', other: 'Fix {count} errors to run.' })}
          </p>
          <Button id={RUN_ANYWAY_ID} kind="plain" onClick={() => onRun()}>
            {t('Run anyway')}
          </Button>
        </Row>
      )}
      {(!isBatch || isBusy) && (
        <div className="flex min-h-14 items-center justify-between gap-3">
          {isBatch ? (
            <p className="text-13 text-ink-2">{t('Running…')}</p>
          ) : isConnected ? (
            <Price draft={draft} call={call} />
          ) : (
            <p className="text-13 text-ink-2">{t('Not connected to this server.')}</p>
          )}
          {isBusy ? (
            <Button className="min-w-30" onClick={cancelRun} disabled={run.phase === 'authorizing'}>
              {t('Cancel')}
              <Keys>Esc</Keys>
            </Button>
          ) : waitSeconds > 0 ? (
            <Button kind="waiting" disabled className="min-w-30 tabular-nums">
              {t('Run in {seconds} s', { seconds: waitSeconds })}
            </Button>
          ) : (
            <Button
              kind="primary"
              className="min-w-30"
              disabled={errors > 0 || !isConnected}
              aria-keyshortcuts="Control+Enter Meta+Enter"
              onClick={() => onRun()}
            >
              {t('Run')}
              <Keys>{`${t('Ctrl')} ⏎`}</Keys>
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

type WaitProps = { isWaiting: boolean; seconds: number | undefined }

const Wait = ({ isWaiting, seconds }: WaitProps) => (
  <Row>
    <p className="text-ink-2 tabular-nums">
      {seconds === undefined
        ? t('Rate limit reached.')
        : t('Rate limit reached. Try again in {seconds} s.', { seconds })}
    </p>
    <label className="inline-flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
      <input type="checkbox" checked={isWaiting} onChange={(event) => waitToRun(event.target.checked)} />
      {t('Run automatically')}
    </label>
  </Row>
)

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line py-1 text-13">
    {children}
  </div>
)

function Price({ draft, call }: Pick<RunBarProps, 'draft' | 'call'>) {
  const { data } = useQuery(overviewQuery())
  const { network, method } = draft
  if (!call.offer.isOffered) return <p className="text-13 text-ink-3">{t('Not supported. No charge.')}</p>
  const credits = creditsBefore(network, [method])
  return (
    <p className="min-w-0 text-13 text-ink-2 tabular-nums">
      {formatCredits(credits)}{' '}
      {data ? (
        <span className="whitespace-nowrap">
          ≈{' '}
          <span dir="ltr" className="inline-block font-mono text-12 text-brass">
            {formatCallCost(credits * data.usdPerCredit)}
          </span>
        </span>
      ) : null}
    </p>
  )
}

const Keys = ({ children }: { children: string }) => (
  <span aria-hidden="true" className="text-12 font-normal pointer-coarse:hidden">
    {children}
  </span>
)

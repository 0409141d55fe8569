'use client'

import { type Ref, useEffect, useState } from 'react'
import { totalsOf } from '@/components/rpc/matrix/rows'
import type { MatrixState } from '@/components/rpc/matrix/use-matrix'
import { creditsBefore, priceText } from '@/components/rpc/price'
import { Button } from '@/components/ui/button'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type RunBarProps = {
  ref: Ref<HTMLDivElement>
  method: string
  networks: readonly RpcNetwork[]
  usdPerCredit: number | undefined
  problem: string | undefined
  state: MatrixState
  onRun: () => void
  onCancel: () => void
}

/** What it will cost, and then the button. */
export function RunBar({ ref, method, networks, usdPerCredit, problem, state, onRun, onCancel }: RunBarProps) {
  const isRunning = state.phase === 'running'
  const seconds = useCountdown(state.failure?.retryAt)
  const credits = networks.reduce((sum, network) => sum + creditsBefore(network, [method]), 0)
  const { asked, answered } = totalsOf(state.rows)
  return (
    <div ref={ref} className="mt-6 flex scroll-mt-2 flex-wrap items-center gap-x-4 gap-y-3 border-t border-line pt-4">
      {isRunning ? (
        <Button onClick={onCancel} className="min-w-32">
          {t('Cancel')}
        </Button>
      ) : (
        <Button
          kind="primary"
          disabled={problem !== undefined || state.phase === 'asking' || seconds > 0}
          onClick={onRun}
          title={t('Ctrl+Enter or ⌘+Enter')}
          className="min-w-32"
        >
          {seconds > 0
            ? t('Wait {seconds} s', { seconds })
            : plural(networks.length, { one: 'Run {count} call', other: 'Run {count} calls' })}
        </Button>
      )}
      <p className="min-h-5 text-13 text-ink-2">
        {isRunning ? (
          <span className="tabular-nums">{t('{answered} of {asked} responded', { answered, asked })}</span>
        ) : problem === undefined ? (
          <span className="font-mono text-13 text-ink-2">
            {plural(networks.length, { one: '{count} call', other: '{count} calls' })} ·{' '}
            {priceText(credits, usdPerCredit)}
          </span>
        ) : (
          problem
        )}
      </p>
    </div>
  )
}

/** Whole seconds until a moment; 0 when it has come, or there is none. */
function useCountdown(until: number | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  const isWaiting = until !== undefined && until > now
  useEffect(() => {
    if (until === undefined) return
    setNow(Date.now())
  }, [until])
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isWaiting])
  return isWaiting ? Math.ceil((until - now) / 1_000) : 0
}

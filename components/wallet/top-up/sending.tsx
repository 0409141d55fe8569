'use client'

import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sentence } from '@/components/ui/sentence'
import { topUp } from '@/components/wallet/top-up/machine'
import { waitWords } from '@/components/wallet/top-up/messages'
import type { TopUp } from '@/components/wallet/top-up/top-up'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { formatUnits } from '@/lib/browser/format/amounts'
import { t } from '@/lib/i18n/t'

type SendingProps = { state: Extract<TopUp, { step: 'sending' | 'confirming' }>; onClose: () => void }

/** A payment that is signed and sent, and has no outcome yet. */
export function Sending({ state, onClose }: SendingProps) {
  const { payment } = state
  const isFirst = state.step === 'sending' && state.checks === 0
  const { title, text } = state.step === 'confirming' ? waitWords(state) : sentWords(isFirst)
  return (
    <div className="mt-3">
      <p className="font-mono text-24 tabular-nums">
        <Sentence
          text="{amount} <small>USDC on {chain}</small>"
          values={{ amount: formatUnits(payment.units), chain: CHAIN_NAME[payment.family] }}
          parts={{ small: (words) => <span className="text-14 text-ink-3">{words}</span> }}
        />
      </p>
      <p className="mt-4 font-medium">
        {title}
        {state.step === 'sending' && <span className="caret" />}
      </p>
      <p className="mt-1 text-ink-2">{text}</p>
      {payment.paymentId && (
        <p className="mt-4 flex min-h-9 items-center justify-between gap-2 border-t border-line pt-2 text-13 text-ink-3">
          <span>
            <Sentence
              text="Payment <id/>"
              parts={{
                id: () => <span className="font-mono text-12 wrap-anywhere text-ink-2">{payment.paymentId}</span>,
              }}
            />
          </span>
          <CopyButton text={payment.paymentId} label={t('Copy payment ID')} />
        </p>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={state.step === 'sending'} onClick={() => void topUp().check()}>
          {t('Check again')}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {t('Close')}
        </Button>
        {state.step === 'confirming' && state.retryAt !== undefined && <NextCheck at={state.retryAt} />}
      </div>
    </div>
  )
}

const sentWords = (isFirst: boolean) => ({
  title: isFirst ? t('Sent.') : t('Checking.'),
  text: t('The service verifies the payment and submits it to the network. Verification takes a few seconds.'),
})

function NextCheck({ at }: { at: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000))
  return <span className="ms-auto text-13 text-ink-3 tabular-nums">{t('next check in {seconds} s', { seconds })}</span>
}

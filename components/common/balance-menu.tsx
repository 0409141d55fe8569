'use client'

import { useRouter } from 'next/navigation'
import type { RefObject } from 'react'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { Button } from '@/components/ui/button'
import { OVERLAY } from '@/components/ui/menu'
import { answerCosts, type BalanceState } from '@/lib/browser/balance'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { answersFor } from '@/lib/browser/format/amounts'
import { formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { usePreference } from '@/lib/browser/preferences'
import { nano } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import type { Session } from '@/lib/contract/session'
import { plural, t } from '@/lib/i18n/t'

type BalanceMenuProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLButtonElement | null>
  session: Session
  state: BalanceState
}

export function BalanceMenu({ isOpen, onClose, anchor, session, state }: BalanceMenuProps) {
  return (
    <AnchoredPopover {...{ isOpen, onClose, anchor }} label={t('Credit')} align="end" className={`${OVERLAY} w-72 p-4`}>
      {session.kind === 'guest' ? (
        <Guest session={session} onClose={onClose} />
      ) : (
        <Owner session={session} state={state} onClose={onClose} />
      )}
    </AnchoredPopover>
  )
}

function Guest({ session, onClose }: { session: Session; onClose: () => void }) {
  const connect = () => {
    onClose()
    void openWallet()
  }
  return (
    <>
      <p className="font-medium">{t('Test credit in this browser')}</p>
      <p className="mt-1 text-13 text-ink-2">
        {t('{amount} of test credit left. Connect a wallet to add more and use it in every browser.', {
          amount: formatMoney(moneyOf(session.balanceUsd)),
        })}
      </p>
      <Button kind="primary" className="mt-3 w-full" onClick={connect}>
        {t('Connect a wallet')}
      </Button>
    </>
  )
}

type OwnerProps = { session: Session; state: BalanceState; onClose: () => void }

function Owner({ session, state, onClose }: OwnerProps) {
  const { push } = useRouter()
  const [stored] = usePreference('answerCosts')
  const credit = moneyOf(session.balanceUsd)
  const allowance = moneyOf(session.balanceDiem)
  const answers = answersFor(nano(credit + allowance), answerCosts(stored)?.average)
  return (
    <>
      <dl className="space-y-1 text-13">
        <Row name={t('Credit')} value={formatMoney(credit)} />
        {allowance > 0n && <Row name={t('DIEM, today')} value={formatUnitless(allowance)} />}
      </dl>
      {(state !== 'fine' || answers !== undefined) && (
        <p className={`mt-2 text-13 ${state === 'fine' ? 'text-ink-3' : 'text-ink-2'}`}>
          {state === 'empty'
            ? t('Paid models need a balance of at least {amount}.', { amount: formatMoney(ADMISSION_MINIMUM) })
            : answers !== undefined &&
              plural(answers, {
                one: 'Enough for about {count} answer like your recent ones.',
                other: 'Enough for about {count} answers like your recent ones.',
              })}
        </p>
      )}
      <div className="mt-3 flex gap-2">
        <Button
          kind="primary"
          className="flex-1"
          onClick={() => {
            onClose()
            void openTopUp()
          }}
        >
          {t('Add credit')}
        </Button>
        <Button
          className="flex-1"
          onClick={() => {
            onClose()
            push('/wallet')
          }}
        >
          {t('Wallet')}
        </Button>
      </div>
    </>
  )
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-ink-2">{name}</dt>
      <dd className="font-mono font-medium text-brass tabular-nums">{value}</dd>
    </div>
  )
}

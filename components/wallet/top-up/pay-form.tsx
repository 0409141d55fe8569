'use client'

import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, QrCode as QrSign } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { Button, IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sentence } from '@/components/ui/sentence'
import { TestMoney } from '@/components/wallet/parts'
import { QrCode } from '@/components/wallet/qr-code'
import { type Amount, AmountField, amountOf } from '@/components/wallet/top-up/amount-field'
import { askFaucet, holdingKey, holdingQuery } from '@/components/wallet/top-up/holdings'
import { problemMessage } from '@/components/wallet/top-up/messages'
import { topUp } from '@/components/wallet/top-up/store'
import type { Problem, TopUp } from '@/components/wallet/top-up/top-up'
import { answerCosts } from '@/lib/browser/balance'
import type { TopUpRequest } from '@/lib/browser/dialogs'
import { failureOf } from '@/lib/browser/failure'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import {
  answersFor,
  formatUnits,
  PRESETS,
  shortUnits,
  suggestedAmount,
  typedUnits,
  usdOfUnits,
} from '@/lib/browser/format/amounts'
import { usePreference } from '@/lib/browser/preferences'
import { useWalletPort } from '@/lib/browser/wallet-port'
import type { Family } from '@/lib/contract/chains'
import type { Service, Session } from '@/lib/contract/session'
import { plural, t } from '@/lib/i18n/t'

// USDC that arrives while the sheet is open is noticed within this time.
const REFRESH_MS = 5_000

const CHOSEN_BY_USER: Problem['kind'][] = ['rejected', 'cancelled', 'already-credited']

type PayFormProps = {
  state: Exclude<TopUp, { step: 'sending' | 'confirming' | 'credited' }>
  session: Session
  service: Service
  request: TopUpRequest
}

export function PayForm({ state, session, service, request }: PayFormProps) {
  const { address, family } = session
  const [amount, setAmount] = useState<Amount>(() => initialAmount(request))
  const [showsFault, setShowsFault] = useState(false)
  const holding = useHolding(session)
  if (!address || !family || !service.rails.includes(family)) return <NoRail />

  const isBusy = state.step !== 'choosing'
  const read = amountOf(amount)
  const units = 'units' in read ? read.units : undefined
  const missing = units !== undefined && holding.data !== undefined ? units - holding.data : 0n
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setShowsFault(true)
    if (units !== undefined && missing <= 0n) void topUp().pay(units)
  }
  return (
    <form onSubmit={submit} noValidate className="mt-3 space-y-5">
      {request.why && <p className="text-ink-2">{request.why}</p>}
      {service.sandbox && <TestMoney />}
      {state.step === 'choosing' && state.problem && <ProblemNote problem={state.problem} />}
      <fieldset disabled={isBusy} className="space-y-5 disabled:opacity-60">
        <AmountField amount={amount} onChange={setAmount} showsFault={showsFault} />
        <Rail family={family} holding={holding} />
        {missing > 0n && !isBusy && (
          <ShortOfUsdc address={address} family={family} missing={missing} isSandbox={service.sandbox} />
        )}
      </fieldset>
      <Pay state={state} units={units} canPay={missing <= 0n} />
    </form>
  )
}

function initialAmount({ needed }: TopUpRequest): Amount {
  const units = suggestedAmount(needed)
  return PRESETS.includes(units) ? { preset: units } : { typed: typedUnits(units) }
}

type PayProps = { state: PayFormProps['state']; units: bigint | undefined; canPay: boolean }

function Pay({ state, units, canPay }: PayProps) {
  const port = useWalletPort()
  const [stored] = usePreference('answerCosts')
  const answers = units === undefined ? undefined : answersFor(usdOfUnits(units), answerCosts(stored)?.last)
  if (state.step !== 'choosing') {
    return (
      // The keys keep the two buttons apart: one element for both would submit the form by the click that cancels.
      <div
        key="waiting"
        className="flex items-center justify-between gap-4 rounded-card border border-line bg-surface py-3 ps-4 pe-3"
      >
        <p className="text-ink-2">
          {state.step === 'asking'
            ? t('Preparing payment')
            : port
              ? t('Confirm in {wallet}', { wallet: port.name })
              : t('Confirm in your wallet')}
          <span className="caret" />
        </p>
        <Button onClick={topUp().cancel}>{t('Cancel')}</Button>
      </div>
    )
  }
  return (
    <div key="paying">
      {units !== undefined && (
        <p className="mb-3 text-ink-2">
          <Sentence
            text="You pay <amount/> USDC"
            parts={{ amount: () => <span className="font-mono text-ink tabular-nums">{formatUnits(units)}</span> }}
          />{' '}
          <span className="block text-13 text-ink-3">{t('Gas is paid for you. No ETH or SOL needed.')}</span>
        </p>
      )}
      <Button kind="primary" type="submit" disabled={!canPay} className="min-h-11 w-full">
        {units === undefined ? t('Pay') : t('Pay {amount} USDC', { amount: shortUnits(units) })}
      </Button>
      {answers !== undefined && (
        <p className="mt-2 text-center text-13 text-ink-3 tabular-nums">
          {plural(answers, {
            one: 'About {count} answer like your last one',
            other: 'About {count} answers like your last one',
          })}
        </p>
      )}
    </div>
  )
}

function NoRail() {
  return (
    <p className="mt-3 text-ink-2">
      {t(
        'Payments from this type of wallet are not accepted. To add credit, sign in with a wallet on the other chain.',
      )}
    </p>
  )
}

function ProblemNote({ problem }: { problem: Problem }) {
  const { title, text } = problemMessage(problem)
  const isCalm = CHOSEN_BY_USER.includes(problem.kind)
  return (
    <section aria-label={t('Error details')} className="enter rounded-card border border-line bg-surface p-4">
      <p className="flex items-center gap-2 font-medium">
        <CircleAlert
          aria-hidden="true"
          className={`size-[18px] shrink-0 ${isCalm ? 'text-ink-3' : 'text-danger'}`}
          strokeWidth={1.5}
        />
        {title}
      </p>
      <p className="mt-1 ps-[26px] text-ink-2 wrap-anywhere">{text}</p>
      {problem.requestId && (
        <p className="mt-1 ps-[26px] font-mono text-12 wrap-anywhere text-ink-3">{problem.requestId}</p>
      )}
    </section>
  )
}

function useHolding({ address, family }: Session): UseQueryResult<bigint> {
  return useQuery({
    ...holdingQuery(family ?? 'evm', address ?? ''),
    enabled: address !== null && family !== null,
    refetchInterval: REFRESH_MS,
  })
}

type RailProps = { family: Family; holding: UseQueryResult<bigint> }

function Rail({ family, holding }: RailProps) {
  return (
    <div>
      <p className="mb-2 text-13 font-medium text-ink-2">{t('From')}</p>
      <p className="flex min-h-11 items-center justify-between gap-3 rounded-control border border-line bg-surface px-3">
        <span>{t('USDC on {chain}', { chain: CHAIN_NAME[family] })}</span>
        <Held holding={holding} />
      </p>
    </div>
  )
}

function Held({ holding }: { holding: UseQueryResult<bigint> }) {
  const held = holding.data
  if (held !== undefined) {
    return (
      <span className="text-13 text-ink-3">
        <Sentence
          text="balance <amount/>"
          parts={{ amount: () => <span className="font-mono text-ink-2 tabular-nums">{formatUnits(held)}</span> }}
        />
      </span>
    )
  }
  if (holding.isError) return <span className="text-13 text-ink-3">{t('balance unavailable')}</span>
  return <span aria-hidden="true" className="skeleton h-4 w-28" />
}

type ShortOfUsdcProps = { address: string; family: Family; missing: bigint; isSandbox: boolean }

function ShortOfUsdc({ address, family, missing, isSandbox }: ShortOfUsdcProps) {
  const [showsQr, setShowsQr] = useState(false)
  return (
    <div role="status" className="rounded-card border border-line bg-surface p-4 text-14">
      <p className="flex items-center gap-2 font-medium">
        <CircleAlert aria-hidden="true" className="size-[18px] shrink-0 text-brass" strokeWidth={1.5} />
        <span>
          <Sentence
            text="<amount/> more USDC needed"
            parts={{ amount: () => <span className="font-mono tabular-nums">{formatUnits(missing)}</span> }}
          />
        </span>
      </p>
      <p className="mt-1 text-ink-2">
        {isSandbox
          ? t('Test USDC is free in this sandbox.')
          : t('Send USDC on {chain} to your wallet. Your balance updates automatically.', {
              chain: CHAIN_NAME[family],
            })}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {isSandbox && <Faucet address={address} family={family} />}
        <span className="inline-flex items-center rounded-control border border-line ps-3 font-mono text-12 text-ink-2">
          <span title={address}>{shortAddress(address)}</span>
          <CopyButton text={address} label={t('Copy address')} />
        </span>
        <IconButton label={t('QR code')} aria-expanded={showsQr} onClick={() => setShowsQr(!showsQr)}>
          <QrSign aria-hidden="true" />
        </IconButton>
      </div>
      {showsQr && (
        <figure className="mt-4 flex flex-col items-center gap-2">
          <QrCode
            text={address}
            label={t('QR code for your address on {chain}', { chain: CHAIN_NAME[family] })}
            className="size-44 rounded-control"
          />
          <figcaption className="text-center font-mono text-12 wrap-anywhere text-ink-2">{address}</figcaption>
        </figure>
      )}
    </div>
  )
}

function Faucet({ address, family }: Pick<ShortOfUsdcProps, 'address' | 'family'>) {
  const client = useQueryClient()
  const faucet = useMutation({
    mutationFn: () => askFaucet(address),
    onSuccess: async (funded) => {
      await client.invalidateQueries({ queryKey: holdingKey(family, address) })
      announce(t('{amount} test USDC received', { amount: funded }))
    },
  })
  return (
    <>
      <Button kind="primary" disabled={faucet.isPending} onClick={() => faucet.mutate()}>
        {faucet.isPending ? t('Getting test USDC…') : t('Get test USDC')}
      </Button>
      {faucet.isError && <p className="w-full text-13 text-danger">{failureOf(faucet.error).message}</p>}
    </>
  )
}

'use client'

import { useEffect, useRef, useState } from 'react'
import { RaiseCap } from '@/components/common/raise-cap'
import { type KeptBack, type MakeOptions, MOST_AT_ONCE } from '@/components/studio/generation-store'
import { WALL_ID } from '@/components/studio/parts/frame'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { NoticeLine } from '@/components/ui/notice-line'
import { Sentence } from '@/components/ui/sentence'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { openWallet } from '@/lib/browser/wallet-dialog'
import type { Usd } from '@/lib/contract/money'
import { plural, t } from '@/lib/i18n/t'

/** What it costs, as far as that is known before. */
export type PriceBefore =
  | { kind: 'exact'; usd: Usd }
  /** It may cost less: what is used decides. */
  | { kind: 'at-most'; usd: Usd }
  | { kind: 'free' }
  | { kind: 'unknown' }

type MakeBarProps = {
  price: PriceBefore
  /** How the price comes about: `4 × $0.02`. */
  note?: string | undefined
  /** Why it cannot be made as the form is. */
  problem?: string | undefined
  label?: string
  onMake: (options?: MakeOptions) => Promise<KeptBack | undefined>
}

/** The price, and the button that asks for it; what kept it from being sent, where something did. */
export function MakeBar({ price, note, problem, label = t('Generate'), onMake }: MakeBarProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [kept, setKept] = useState<KeptBack>()
  const start = async (options?: MakeOptions) => {
    if (isAsking) return
    setKept(undefined)
    setIsAsking(true)
    const why = await onMake(options).finally(() => setIsAsking(false))
    setKept(why)
    // Where everything stands in one column, what is being made is brought into view.
    if (!why && isColumn()) document.getElementById(WALL_ID)?.scrollIntoView({ block: 'start', behavior: 'smooth' })
  }
  useMakeKey(() => {
    if (problem === undefined) void start()
    else announce(problem)
  })
  return (
    <>
      {kept && <KeptNotice kept={kept} onAgain={(options) => void start(options)} />}
      <div className="flex min-h-16 items-center justify-between gap-3">
        <p className="min-w-0 text-13 text-ink-2">{problem ?? <Price price={price} note={note} />}</p>
        <Button
          kind="primary"
          className="min-w-30 shrink-0"
          disabled={problem !== undefined || isAsking}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => void start()}
        >
          {label}
          <span aria-hidden="true" className="text-12 font-normal pointer-coarse:hidden">
            Ctrl ⏎
          </span>
        </Button>
      </div>
    </>
  )
}

const isColumn = (): boolean => !window.matchMedia('(width >= 56.25rem)').matches

function Price({ price, note }: Pick<MakeBarProps, 'price' | 'note'>) {
  if (price.kind === 'free') return t('Free')
  if (price.kind === 'unknown') return t('Priced when generation finishes.')
  const amount = <span className="font-mono text-14 text-brass tabular-nums">{formatExactMoney(price.usd)}</span>
  return (
    <>
      {price.kind === 'at-most' ? <Sentence text="Up to <amount/>" parts={{ amount: () => amount }} /> : amount}
      {note && <span className="block text-12 text-ink-3 tabular-nums">{note}</span>}
    </>
  )
}

type KeptNoticeProps = { kept: KeptBack; onAgain: (options?: MakeOptions) => void }

/** Why nothing was sent, and the way on. The form still has everything. */
function KeptNotice({ kept, onAgain }: KeptNoticeProps) {
  if (kept.why === 'not-signed-in') {
    const signIn = async () => {
      if (await openWallet({ why: t('To generate') })) onAgain()
    }
    return (
      <NoticeLine text={t('Sign in with a wallet to generate. Your settings are saved.')}>
        <Button onClick={() => void signIn()}>{t('Sign in')}</Button>
      </NoticeLine>
    )
  }
  if (kept.why === 'no-credit') {
    const addCredit = async () => {
      if (await openTopUp({ why: t('Generation starts once you add credit.') })) onAgain()
    }
    return (
      <NoticeLine text={t('Add credit to generate. Your settings are saved.')}>
        <Button onClick={() => void addCredit()}>{t('Add credit')}</Button>
      </NoticeLine>
    )
  }
  if (kept.why === 'busy') {
    return (
      <NoticeLine
        text={plural(MOST_AT_ONCE, {
          one: '{count} generation is running. Wait for it to finish.',
          other: '{count} generations are running. Wait for one to finish.',
        })}
      />
    )
  }
  const { failure } = kept
  return (
    <NoticeLine text={failure.message}>
      {failure.code === 'CAP_PER_DAY' ? (
        <>
          <RaiseCap name="capPerDay" isBusy={false} onRaised={() => onAgain()} />
          <Button onClick={() => onAgain({ isDayWaived: true })}>{t('Generate anyway this time')}</Button>
        </>
      ) : (
        <Button onClick={() => onAgain()}>{t('Try again')}</Button>
      )}
    </NoticeLine>
  )
}

/** Ctrl or Cmd with Enter makes, from wherever the focus is on the screen. */
function useMakeKey(onMake: () => void): void {
  const latest = useRef(onMake)
  useEffect(() => {
    latest.current = onMake
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isMake = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      // A key that is held down asks once.
      if (!isMake || event.defaultPrevented || event.repeat || event.isComposing || isInDialog(event.target)) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role="dialog"], [role="menu"]') !== null
}

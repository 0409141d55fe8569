'use client'

import { CircleAlert, CircleCheck, CircleHelp, CircleX, Copy, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { formatCallCost, formatCredits } from '@/components/rpc/networks'
import type { Reply, ReplyItem } from '@/components/rpc/response/decode/json'
import type { FailureMessage } from '@/components/rpc/response/failure-messages'
import { visibleText } from '@/components/rpc/response/format'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { useCountdown } from '@/components/ui/use-countdown'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { formatLatency, formatSize } from '@/lib/browser/format/numbers'
import { RPC_ERROR_CREDITS } from '@/lib/contract/prices'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import { networkOf } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type HeadLineProps = { answer: RpcAnswer; reply: Reply | 'unread' | undefined; children: ReactNode }

export function HeadLine({ answer, reply, children }: HeadLineProps) {
  const { status, ms, bytes, credits, costUsd, isReplayed, requestId } = answer
  const outcome = answerOutcome(answer, reply)
  const isPaidError = outcome?.kind === 'rpc-error' && credits !== undefined && credits > 0
  return (
    <div className="border-b border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <OutcomeBadge outcome={outcome} />
        {isReplayed && (
          <span
            title={t(
              'Response to an earlier call with the same idempotency key. The call wasn’t sent again and is free.',
            )}
            className="rounded-chip border border-line px-2 text-12 leading-5 text-ink-2"
          >
            {t('Replayed')}
          </span>
        )}
        {children}
      </div>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3">
        <dl className="flex flex-wrap items-center gap-x-3 font-mono text-12 text-ink-3 tabular-nums">
          {outcome?.kind !== 'http-error' && <Fact name={t('HTTP status')} value={`HTTP ${status}`} />}
          <Fact name={t('Duration')} value={formatLatency(ms)} />
          <Fact name={t('Size')} value={formatSize(bytes)} />
          {credits !== undefined && <Fact name={t('Credits')} value={formatCredits(credits)} />}
          {costUsd !== undefined && <Fact name={t('Cost')} value={formatCallCost(costUsd)} className="text-brass" />}
        </dl>
        {requestId !== undefined && <RequestIdButton id={requestId} />}
      </div>
      {outcome?.kind === 'rpc-error' && outcome.detail !== undefined && (
        <p className="mt-1 text-13 text-ink-2 wrap-anywhere">
          <bdi>{visibleText(outcome.detail)}</bdi>
          {isPaidError && <span className="text-ink-3"> {t('The node answered, so the call is charged.')}</span>}
        </p>
      )}
    </div>
  )
}

type FactProps = { name: string; value: string; className?: string }

const Fact = ({ name, value, className = '' }: FactProps) => (
  <div>
    <dt className="sr-only">{name}</dt>
    <dd dir="auto" className={className}>
      {value}
    </dd>
  </div>
)

const LOOKS: Record<Outcome['kind'], { Icon: LucideIcon; className: string }> = {
  result: { Icon: CircleCheck, className: 'text-ok' },
  mixed: { Icon: CircleAlert, className: 'border border-control px-2 text-ink' },
  odd: { Icon: CircleHelp, className: 'border border-control px-2 text-ink' },
  'rpc-error': { Icon: CircleAlert, className: 'border border-danger px-2 text-danger' },
  'http-error': { Icon: CircleX, className: 'border border-danger bg-danger px-2 text-paper' },
}

function OutcomeBadge({ outcome }: { outcome: Outcome | undefined }) {
  if (!outcome) return <span aria-hidden="true" className="skeleton h-6 w-16" />
  const { Icon, className } = LOOKS[outcome.kind]
  return (
    <span
      data-outcome={outcome.kind}
      className={`inline-flex min-h-6 items-center gap-1.5 rounded-chip text-13 font-medium ${className}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.75} />
      {outcome.label}
    </span>
  )
}

function RequestIdButton({ id }: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    announce(t('Copied'))
    showToast({ text: t('Request ID copied') })
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={t('Request {id}. Copy the ID to report a problem.', { id })}
      className="inline-flex min-h-6 items-center gap-1 rounded-control px-1 font-mono text-12 text-ink-3 transition-colors hover:bg-hover hover:text-ink pointer-coarse:-my-2.5 pointer-coarse:min-h-11"
    >
      <Copy aria-hidden="true" className="size-3" strokeWidth={1.5} />
      <span className="sr-only">{t('Copy request ID')} </span>
      {id.slice(0, 8)}
    </button>
  )
}

type Outcome =
  // Refused by the service, or by HTTP on the way.
  | { kind: 'http-error'; label: string }
  // Refused by the node: HTTP 200, and charged.
  | { kind: 'rpc-error'; label: string; detail?: string }
  | { kind: 'result'; label: string }
  | { kind: 'mixed'; label: string }
  // HTTP 200 with a body that is no JSON-RPC reply.
  | { kind: 'odd'; label: string }

// `unread`: the body will never be inspected.
export function answerOutcome(
  answer: Pick<RpcAnswer, 'status'>,
  reply: Reply | 'unread' | undefined,
): Outcome | undefined {
  if (answer.status < 200 || answer.status > 299) return { kind: 'http-error', label: `HTTP ${answer.status}` }
  if (!reply) return undefined
  if (reply === 'unread') return { kind: 'odd', label: t('Not inspected') }
  if (reply.fault) return { kind: 'odd', label: t('Not JSON') }
  const errors = reply.items.filter(({ outcome }) => outcome === 'error').length
  const results = reply.items.filter(({ outcome }) => outcome === 'result').length
  if (reply.isBatch) return batchOutcome(reply, results, errors)
  const [item] = reply.items
  if (item?.outcome === 'result') return { kind: 'result', label: t('Result') }
  if (item?.outcome !== 'error') return { kind: 'odd', label: t('Not JSON-RPC') }
  const { errorCode, errorMessage } = item
  const label = errorCode === undefined ? t('RPC error') : t('RPC error {code}', { code: errorCode.replace('-', '−') })
  return { kind: 'rpc-error', label, detail: errorMessage }
}

function batchOutcome({ items, total }: Reply, results: number, errors: number): Outcome {
  const isWhole = total === items.length
  if (results + errors === 0) return { kind: 'odd', label: t('Not JSON-RPC') }
  if (isWhole && results === total) return { kind: 'result', label: resultCount(results) }
  if (isWhole && errors === total) {
    return { kind: 'rpc-error', label: plural(errors, { one: '{count} RPC error', other: '{count} RPC errors' }) }
  }
  const others = items.length - results - errors
  const parts = [
    resultCount(results),
    plural(errors, { one: '{count} error', other: '{count} errors' }),
    ...(others > 0 ? [plural(others, { one: '{count} invalid', other: '{count} invalid' })] : []),
  ].join(', ')
  return { kind: 'mixed', label: isWhole ? parts : t('{parts} in the first {count}', { parts, count: items.length }) }
}

const resultCount = (count: number): string => plural(count, { one: '{count} result', other: '{count} results' })

type BatchListProps = {
  answer: RpcAnswer
  reply: Reply
  picked: number | undefined
  onPick: (item: number | undefined) => void
}

export function BatchList({ answer, reply, picked, onPick }: BatchListProps) {
  const credits = itemCredits(answer, reply)
  const hidden = reply.total - reply.items.length
  return (
    <div className="border-b border-line">
      <ul aria-label={t('Batch items')} className="thin-scroll max-h-44 overflow-y-auto px-2 py-1">
        <Row isPicked={picked === undefined} onPick={() => onPick(undefined)}>
          <span className="flex-1">{plural(reply.total, { one: 'All {count} item', other: 'All {count} items' })}</span>
        </Row>
        {reply.items.map((item, index) => (
          <Row key={item.start} isPicked={picked === index} onPick={() => onPick(index)}>
            <span className="w-10 shrink-0 truncate font-mono text-12 text-ink-3" title="id">
              {item.id === undefined ? t('no ID') : visibleText(item.id).slice(0, 12)}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-12">
              <bdi>{methodOf(answer, item)}</bdi>
            </span>
            <ItemOutcome item={item} />
            {credits && (
              <span className="w-16 shrink-0 text-end font-mono text-12 text-ink-3">
                {t('{credits} cr', { credits: credits[index] ?? 0 })}
              </span>
            )}
          </Row>
        ))}
      </ul>
      {hidden > 0 && (
        <p className="px-4 pb-1.5 text-12 text-ink-3">
          {plural(hidden, {
            one: '{count} more in the text views only.',
            other: '{count} more in the text views only.',
          })}
        </p>
      )}
    </div>
  )
}

type RowProps = { isPicked: boolean; onPick: () => void; children: React.ReactNode }

const Row = ({ isPicked, onPick, children }: RowProps) => (
  <li>
    <button
      type="button"
      aria-pressed={isPicked}
      onClick={onPick}
      className="flex min-h-8 w-full items-center gap-3 rounded-control px-2 text-start text-13 transition-colors hover:bg-hover aria-pressed:bg-accent-soft pointer-coarse:min-h-11"
    >
      {children}
    </button>
  </li>
)

function ItemOutcome({ item: { outcome, errorCode } }: { item: ReplyItem }) {
  if (outcome === 'result') return <span className="shrink-0 text-12 text-ok">{t('result')}</span>
  if (outcome === 'neither') return <span className="shrink-0 text-12 text-ink-2">{t('not JSON-RPC')}</span>
  return (
    <span className="shrink-0 text-12 text-danger">
      {t('error')} <bdi dir="ltr">{errorCode?.replace('-', '−') ?? ''}</bdi>
    </span>
  )
}

const methodOf = (answer: RpcAnswer, { callIndex }: ReplyItem): string =>
  callIndex === undefined ? t('no matching call') : (answer.calls[callIndex]?.method ?? '')

// By the rules of the service; undefined where that does not add up to the charge.
export function itemCredits({ network: slug, calls, credits }: RpcAnswer, reply: Reply): number[] | undefined {
  const network = networkOf(slug)
  if (!network || credits === undefined || reply.items.length !== reply.total) return undefined
  const each = reply.items.map(({ outcome, callIndex }) => {
    const method = callIndex === undefined ? undefined : calls[callIndex]?.method
    const offer = method === undefined ? undefined : offerOf(network.family, method)
    return outcome === 'result' && offer?.isOffered ? creditsOf(network, offer.tier) : RPC_ERROR_CREDITS
  })
  return each.reduce((sum, one) => sum + one, 0) === credits ? each : undefined
}

type FailureCardProps = { message: FailureMessage; onRun: () => void; isBusy: boolean }

export function FailureCard({ message: failure, onRun, isBusy }: FailureCardProps) {
  const { title, advice, issues, retryAt, isFree } = failure
  return (
    <section aria-label={t('Call failed')} className="m-4 rounded-card border border-line bg-surface p-4">
      <p className="flex items-center gap-2 text-14 font-medium">
        <CircleAlert aria-hidden="true" className="size-[18px] shrink-0 text-danger" strokeWidth={1.5} />
        {title}
      </p>
      <p className="mt-1 ps-[26px] text-14 text-ink-2 wrap-anywhere">
        {visibleText(advice)}
        {isFree && ` ${t('Nothing was charged.')}`}
      </p>
      {issues.length > 0 && (
        <ul className="mt-2 space-y-1 ps-[26px] text-13">
          {issues.map(({ place, message }) => (
            <li key={`${place} ${message}`} className="text-ink-2 wrap-anywhere">
              {place && (
                <code dir="ltr" className="font-mono text-12 text-ink">
                  {visibleText(place)}
                </code>
              )}{' '}
              {visibleText(message)}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-2 ps-[26px] empty:hidden">
        <FailureAction message={failure} onRun={onRun} isBusy={isBusy} />
        {retryAt !== undefined && <Countdown until={retryAt} onRun={onRun} isBusy={isBusy} />}
      </div>
    </section>
  )
}

function FailureAction({ message: { action }, onRun, isBusy }: FailureCardProps) {
  if (!action) return null
  const isSignIn = action === 'sign-in'
  const act = async () => {
    const isDone = isSignIn
      ? await openWallet({ why: t('To run this call') })
      : await openTopUp({ why: t('Your call runs as soon as you add credit.') })
    if (isDone) onRun()
  }
  return (
    <Button kind="primary" disabled={isBusy} onClick={() => void act()}>
      {isSignIn ? t('Sign in again') : t('Add credit')}
    </Button>
  )
}

type CountdownProps = Omit<FailureCardProps, 'message'> & { until: number }

function Countdown({ until, onRun, isBusy }: CountdownProps) {
  const seconds = useCountdown(until)
  return seconds > 0 ? (
    <p className="text-14 text-ink-2 tabular-nums" role="timer">
      {t('Try again in {seconds} s.', { seconds })}
    </p>
  ) : (
    <Button kind="primary" disabled={isBusy} onClick={onRun}>
      {t('Run again')}
    </Button>
  )
}

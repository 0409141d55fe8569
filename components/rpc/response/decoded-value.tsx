'use client'

import { CornerUpLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import type { DecodedNode, Reading, Use } from '@/components/rpc/response/decode/decoded'
import { inWords } from '@/components/rpc/response/decode/message-texts'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { timeWords } from '@/components/rpc/response/time-messages'
import { useNow } from '@/components/rpc/response/use-now'
import { CopyButton } from '@/components/ui/copy-button'
import { msg, plural, t } from '@/lib/i18n/t'

export type DecodedActions = {
  /** Puts a value into the parameters of the next call. */
  onUse: ((use: Use) => void) | undefined
  onMore: (path: string, shown: number) => void
}

type ValueRowProps = {
  node: Extract<DecodedNode, { kind: 'value' }>
  actions: DecodedActions
  /** The call that it stands for. */
  children?: ReactNode
}

const USE: Record<Use['kind'], string> = {
  address: msg('Use this address as a parameter'),
  hash: msg('Use this hash as a parameter'),
  block: msg('Use this block as a parameter'),
}
/** As wide as a word of 32 bytes. */
const SHOWN_CHARS = 66

/** One value: what it says first, and as it is written after. An address or a hash says itself. */
export function ValueRow({ node, actions, children }: ValueRowProps) {
  const { readings, use } = node
  const [first, ...others] = readings
  const isItself = use?.kind === 'address' || use?.kind === 'hash' || !first
  return (
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-baseline gap-x-3 text-13">
        {isItself ? (
          <Written node={node} className="text-ink">
            <ValueActions use={use} actions={actions} />
          </Written>
        ) : (
          <span className="min-w-0 text-ink wrap-anywhere">
            <ReadingWords reading={first} />
            <ValueActions use={use} actions={actions} />
          </span>
        )}
        {(isItself ? readings : others).map((reading) => (
          <span key={JSON.stringify(reading)} className="min-w-0 text-ink-2 wrap-anywhere">
            <ReadingWords reading={reading} />
          </span>
        ))}
        {!isItself && !isSaid(node) && <Written node={node} className="text-ink-3" />}
      </div>
      {children}
    </div>
  )
}

/** Whether what it says is all that is written, but for the commas. */
const isSaid = ({ raw, readings, call }: ValueRowProps['node']) =>
  raw === '' ||
  call !== undefined ||
  readings.some(
    (reading) =>
      reading.kind === 'text' && typeof reading.text === 'string' && reading.text.replaceAll(',', '') === raw,
  )

type WrittenProps = { node: ValueRowProps['node']; className: string; children?: ReactNode }

function Written({ node: { raw, chars }, className, children }: WrittenProps) {
  return (
    <span className={`min-w-0 font-mono text-12 leading-5 wrap-anywhere ${className}`}>
      <bdi dir="ltr">{visibleText(raw.slice(0, SHOWN_CHARS))}</bdi>
      {chars > SHOWN_CHARS && (
        <span className="text-ink-3">… {plural(chars, { one: '{count} character', other: '{count} characters' })}</span>
      )}
      {children}
    </span>
  )
}

function ValueActions({ use, actions }: { use: Use | undefined; actions: DecodedActions }) {
  if (!use) return null
  return (
    <span className="ms-1 inline-flex align-text-bottom">
      {use.kind !== 'block' && (
        <CopyButton
          text={use.value}
          label={use.kind === 'address' ? t('Copy address') : t('Copy hash')}
          className={SMALL}
        />
      )}
      {actions.onUse && (
        <button
          type="button"
          aria-label={t(USE[use.kind])}
          title={t('Use as parameter')}
          onClick={() => actions.onUse?.(use)}
          className={`inline-flex shrink-0 items-center justify-center rounded-control text-ink-3 transition-colors hover:bg-hover hover:text-ink ${SMALL}`}
        >
          <CornerUpLeft aria-hidden="true" className="rtl:-scale-x-100" strokeWidth={1.5} />
        </button>
      )}
    </span>
  )
}

const SMALL = '-my-1 !size-6 pointer-coarse:-my-2.5 pointer-coarse:!size-9 [&>svg]:!size-3.5'

function ReadingWords({ reading }: { reading: Reading }) {
  if (reading.kind === 'time') return <TimeWords at={reading.at} />
  return (
    <>
      <bdi dir={typeof reading.text === 'string' ? 'ltr' : undefined} className="tabular-nums">
        {visibleText(inWords(reading.text))}
      </bdi>
      {reading.note && <span className="ms-2 text-12 text-ink-3">{inWords(reading.note)}</span>}
    </>
  )
}

const RELATIVE_EVERY_MS = 30_000

function TimeWords({ at }: { at: number }) {
  const now = useNow(RELATIVE_EVERY_MS)
  const { ago, local, utc } = timeWords(at, now)
  return (
    <time dateTime={new Date(at * 1000).toISOString()}>
      {ago}
      <span className="ms-2 text-12 text-ink-3">{local}</span>
      <span className="ms-2 text-12 text-ink-3">{utc}</span>
    </time>
  )
}

'use client'

import { CornerUpLeft } from 'lucide-react'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { Note } from '@/components/rpc/notices'
import {
  type DecodedCall,
  type DecodedField,
  type DecodedItem,
  type DecodedNode,
  type Interpretation,
  ITEMS_PATH,
  type Use,
} from '@/components/rpc/response/decode/decoded'
import type { Reply } from '@/components/rpc/response/decode/json'
import { formatTime, toText, useNow, visibleText } from '@/components/rpc/response/format'
import { NOTHING_MORE, type OpenedAnswer, useDecoded } from '@/components/rpc/response/response-worker'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { msg, plural, t } from '@/lib/i18n/t'

const MORE_ITEMS = 50

type DecodedViewProps = {
  known: OpenedAnswer & { reply: Reply }
  item: number | undefined
  onUse: (use: Use) => void
}

type DecodedActions = Pick<DecodedViewProps, 'onUse'> & { onMore: (path: string, shown: number) => void }

const DecodedActions = createContext<DecodedActions>({ onUse: () => undefined, onMore: () => undefined })

export function DecodedView({ known, item, onUse }: DecodedViewProps) {
  const { reply } = known
  const [wanted, setWanted] = useState<Readonly<Record<string, number>>>(NOTHING_MORE)
  const decoded = useDecoded(known, item, wanted)?.result
  if (decoded === 'failed') return <Note text={t('Couldn’t decode the response. The other views show the original.')} />
  if (!decoded) return <div aria-hidden="true" className="skeleton m-4 h-24" />
  if (decoded.items.length === 0) return <Note text={t('Nothing to decode.')} />
  const onMore = (path: string, shown: number) => setWanted({ ...wanted, [path]: shown + MORE_ITEMS })
  const isBatch = reply.isBatch && item === undefined
  return (
    <DecodedActions value={{ onUse, onMore }}>
      <div className="space-y-6 p-4">
        {decoded.items.map((one) => (
          <ItemView key={one.index} item={one} isBatch={isBatch} />
        ))}
        {decoded.items.length < Math.min(decoded.total, reply.items.length) && item === undefined && (
          <Button onClick={() => onMore(ITEMS_PATH, decoded.items.length)}>{t('Show more items')}</Button>
        )}
      </div>
    </DecodedActions>
  )
}

type ItemViewProps = { item: DecodedItem; isBatch: boolean }

function ItemView({ item, isBatch }: ItemViewProps) {
  const { error, note, node } = item
  return (
    <section aria-label={isBatch ? t('Item {place}', { place: String(item.index + 1) }) : t('Decoded')}>
      {isBatch && (
        <h3 className="mb-2 flex gap-3 border-b border-line pb-1 font-mono text-12 text-ink-2">
          <span className="text-ink-3">{item.id === undefined ? t('no ID') : visibleText(item.id)}</span>
          {item.method}
        </h3>
      )}
      {note && <p className="mb-2 text-13 text-ink-2 wrap-anywhere">{visibleText(toText(note))}</p>}
      {error && <ErrorView error={error} />}
      {node && <DecodedTree node={node} />}
    </section>
  )
}

type ErrorViewProps = { error: NonNullable<DecodedItem['error']> }

const ErrorView = ({ error: { code, meaning, message, revert } }: ErrorViewProps) => (
  <div className="space-y-2 rounded-card border border-danger p-3 text-13">
    <p className="font-medium text-danger">
      {code === undefined ? t('Error') : t('Error {code}', { code: visibleText(code) })}
      {meaning && <span className="font-normal text-ink-2">: {toText(meaning)}</span>}
    </p>
    {message !== undefined && <p className="text-ink-2 wrap-anywhere">{visibleText(message)}</p>}
    {revert && <DecodedTree node={revert} />}
  </div>
)

type TreeProps = { node: DecodedNode; isInner?: boolean }
type RecordNode = Extract<DecodedNode, { kind: 'record' }>
type ListNode = Extract<DecodedNode, { kind: 'list' }>
type TableNode = Extract<DecodedNode, { kind: 'table' }>

function DecodedTree({ node, isInner = false }: TreeProps) {
  switch (node.kind) {
    case 'value':
      return <ValueRow node={node}>{node.call && <CallView call={node.call} />}</ValueRow>
    case 'record':
      return <RecordView node={node} />
    case 'list':
      return <ListView node={node} isInner={isInner} />
    case 'table':
      return <TableView node={node} />
    case 'left-out':
      return (
        <p className="text-12 text-ink-3">
          {node.why === 'deep' ? t('Nested too deep to show.') : t('Too much to show.')}
        </p>
      )
  }
}

const CALL_NAMES: Record<DecodedCall['kind'], string> = {
  function: msg('Call'),
  event: msg('Event'),
  error: msg('Error'),
}

const CallView = ({ call }: { call: DecodedCall }) => (
  <div className="@container mt-1 rounded-control border border-line bg-sunken px-3 py-2">
    <p className="text-13 wrap-anywhere" title={call.signature}>
      <span className="text-12 text-ink-3">{t(CALL_NAMES[call.kind])} </span>
      <span className="font-mono font-medium text-accent">{call.name}</span>
      <span className="ms-2 text-12 text-ink-3">{call.standard}</span>
    </p>
    {call.fields.length > 0 && <DecodedFields fields={call.fields} />}
  </div>
)

const DecodedFields = ({ fields }: { fields: DecodedField[] }) => (
  <dl className="divide-y divide-line">
    {fields.map(({ name, type, node }) => (
      <div
        key={toText(name)}
        className={`grid gap-x-4 py-1.5 ${isBlock(node) ? '' : '@sm:grid-cols-[minmax(7rem,8.5rem)_minmax(0,1fr)]'}`}
      >
        <dt className="text-12 leading-5 text-ink-3 wrap-anywhere" title={type}>
          {visibleText(toText(name))}
        </dt>
        <dd className="min-w-0">
          <DecodedTree node={node} isInner />
        </dd>
      </div>
    ))}
  </dl>
)

function isBlock(node: DecodedNode): boolean {
  if (node.kind === 'list') return node.items[0] !== undefined && isBlock(node.items[0])
  return node.kind === 'record' || node.kind === 'table' || (node.kind === 'value' && node.call !== undefined)
}

function RecordView({ node }: { node: RecordNode }) {
  const { title, event, fields, hidden } = node
  return (
    <div className="@container min-w-0">
      {title && !event && <p className="mb-1 text-13 font-medium">{visibleText(toText(title))}</p>}
      {event && <CallView call={event} />}
      {fields.length > 0 ? (
        <DecodedFields fields={fields} />
      ) : (
        !event && <p className="text-12 text-ink-3">{t('empty')}</p>
      )}
      {hidden > 0 && (
        <p className="text-12 text-ink-3">
          {plural(hidden, { one: '{count} more field', other: '{count} more fields' })}
        </p>
      )}
    </div>
  )
}

function ListView({ node, isInner }: { node: ListNode; isInner: boolean }) {
  const { items, total, path, canShowMore } = node
  const { onMore } = useContext(DecodedActions)
  if (total === 0) return <p className="text-12 text-ink-3">{t('empty list')}</p>
  return (
    <div className="min-w-0 space-y-2">
      {!isInner && total > 1 && (
        <p className="text-12 text-ink-3">{plural(total, { one: '{count} item', other: '{count} items' })}</p>
      )}
      <ol className="space-y-2">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that was answered does not change
          <li key={index} className="[contain-intrinsic-size:auto_6rem] [content-visibility:auto]">
            {item.kind === 'record' ? <Card node={item} index={index} /> : <DecodedTree node={item} isInner />}
          </li>
        ))}
      </ol>
      {items.length < total && (
        <p className="flex flex-wrap items-center gap-3 text-12 text-ink-3">
          {t('{count} of {total}', { count: items.length, total })}
          {canShowMore ? (
            <Button onClick={() => onMore(path, items.length)}>{t('Show more')}</Button>
          ) : (
            t('The other views show all items.')
          )}
        </p>
      )}
    </div>
  )
}

type CardProps = { node: RecordNode; index: number }

// Events are open, as they are what is looked for.
function Card({ node, index }: CardProps) {
  const [isOpen, setIsOpen] = useState(node.event !== undefined || index === 0)
  const name =
    node.event?.name ??
    (node.title === undefined ? t('Item {place}', { place: String(index + 1) }) : toText(node.title))
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="rounded-card border border-line bg-surface"
    >
      <summary className="flex min-h-9 items-center gap-2 px-3 text-13 pointer-coarse:min-h-11">
        <span className="font-mono text-12 text-ink-3">{index}</span>
        <span className="font-medium wrap-anywhere">{visibleText(name)}</span>
        {node.event && <span className="text-12 text-ink-3">{node.event.standard}</span>}
        {node.summary && (
          <span className="min-w-0 truncate text-12 text-ink-2">{visibleText(toText(node.summary))}</span>
        )}
      </summary>
      {isOpen && (
        <div className="border-t border-line px-3 py-2">
          <CardBody node={node} />
        </div>
      )}
    </details>
  )
}

function CardBody({ node }: Omit<CardProps, 'index'>) {
  const { title: _, event, ...rest } = node
  if (!event) return <RecordView node={rest} />
  return (
    <div className="@container min-w-0 space-y-2">
      <div className="rounded-control bg-sunken px-3 py-1">
        <DecodedFields fields={event.fields} />
      </div>
      <RecordView node={rest} />
    </div>
  )
}

const TableView = ({ node: { columns, rows, total } }: { node: TableNode }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard */}
    <div tabIndex={0} className="thin-scroll overflow-x-auto rounded-card border border-line">
      <table className="w-full border-collapse text-12 tabular-nums">
        <thead className="bg-sunken text-ink-2">
          <tr>
            {columns.map((column) => (
              <th
                key={toText(column)}
                scope="col"
                className="px-3 py-2 text-end font-medium whitespace-nowrap first:text-start"
              >
                {toText(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="font-mono">
          {rows.map((cells) => (
            <tr key={toText(cells[0] ?? '')} className="border-t border-line">
              {cells.map((cell, index) => (
                <td
                  key={toText(columns[index] ?? '')}
                  className="px-3 py-1.5 text-end whitespace-nowrap first:text-start"
                >
                  {visibleText(toText(cell))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {rows.length < total && (
      <p className="mt-2 text-12 text-ink-3">
        {plural(total - rows.length, { one: '{count} more row', other: '{count} more rows' })}
      </p>
    )}
  </>
)

type ValueRowProps = { node: Extract<DecodedNode, { kind: 'value' }>; children?: ReactNode }

const USE: Record<Use['kind'], string> = {
  address: msg('Use this address as a parameter'),
  hash: msg('Use this hash as a parameter'),
  block: msg('Use this block as a parameter'),
}
// As wide as a word of 32 bytes.
const SHOWN_CHARS = 66

function ValueRow({ node, children }: ValueRowProps) {
  const { interpretations, use } = node
  const [first, ...others] = interpretations
  const isItself = use?.kind === 'address' || use?.kind === 'hash' || !first
  return (
    <div className="min-w-0 flex-1">
      <div className="flex flex-wrap items-baseline gap-x-3 text-13">
        {isItself ? (
          <RawValue node={node} className="text-ink">
            <ValueActions use={use} />
          </RawValue>
        ) : (
          <span className="min-w-0 text-ink wrap-anywhere">
            <InterpretationText interpretation={first} />
            <ValueActions use={use} />
          </span>
        )}
        {(isItself ? interpretations : others).map((interpretation) => (
          <span key={JSON.stringify(interpretation)} className="min-w-0 text-ink-2 wrap-anywhere">
            <InterpretationText interpretation={interpretation} />
          </span>
        ))}
        {!isItself && !repeatsRaw(node) && <RawValue node={node} className="text-ink-3" />}
      </div>
      {children}
    </div>
  )
}

// Apart from commas.
const repeatsRaw = ({ raw, interpretations, call }: ValueRowProps['node']) =>
  raw === '' ||
  call !== undefined ||
  interpretations.some(
    (interpretation) =>
      interpretation.kind === 'text' &&
      typeof interpretation.text === 'string' &&
      interpretation.text.replaceAll(',', '') === raw,
  )

type RawValueProps = { node: ValueRowProps['node']; className: string; children?: ReactNode }

const RawValue = ({ node: { raw, chars }, className, children }: RawValueProps) => (
  <span className={`min-w-0 font-mono text-12 leading-5 wrap-anywhere ${className}`}>
    <bdi dir="ltr">{visibleText(raw.slice(0, SHOWN_CHARS))}</bdi>
    {chars > SHOWN_CHARS && (
      <span className="text-ink-3">… {plural(chars, { one: '{count} character', other: '{count} characters' })}</span>
    )}
    {children}
  </span>
)

function ValueActions({ use }: { use: Use | undefined }) {
  const { onUse } = useContext(DecodedActions)
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
      <button
        type="button"
        aria-label={t(USE[use.kind])}
        title={t('Use as parameter')}
        onClick={() => onUse(use)}
        className={`inline-flex shrink-0 items-center justify-center rounded-control text-ink-3 transition-colors hover:bg-hover hover:text-ink ${SMALL}`}
      >
        <CornerUpLeft aria-hidden="true" className="rtl:-scale-x-100" strokeWidth={1.5} />
      </button>
    </span>
  )
}

const SMALL = '-my-1 !size-6 pointer-coarse:-my-2.5 pointer-coarse:!size-9 [&>svg]:!size-3.5'

function InterpretationText({ interpretation }: { interpretation: Interpretation }) {
  if (interpretation.kind === 'time') return <TimeText at={interpretation.at} />
  return (
    <>
      <bdi dir={typeof interpretation.text === 'string' ? 'ltr' : undefined} className="tabular-nums">
        {visibleText(toText(interpretation.text))}
      </bdi>
      {interpretation.note && <span className="ms-2 text-12 text-ink-3">{toText(interpretation.note)}</span>}
    </>
  )
}

const RELATIVE_EVERY_MS = 30_000

function TimeText({ at }: { at: number }) {
  const now = useNow(RELATIVE_EVERY_MS)
  const { ago, local, utc } = formatTime(at, now)
  return (
    <time dateTime={new Date(at * 1000).toISOString()}>
      {ago}
      <span className="ms-2 text-12 text-ink-3">{local}</span>
      <span className="ms-2 text-12 text-ink-3">{utc}</span>
    </time>
  )
}

'use client'

import { useState } from 'react'
import type { DecodedCall, DecodedField, DecodedNode } from '@/components/rpc/response/decode/decoded'
import { inWords } from '@/components/rpc/response/decode/message-texts'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { type DecodedActions, ValueRow } from '@/components/rpc/response/decoded-value'
import { Button } from '@/components/ui/button'
import { msg, plural, t } from '@/lib/i18n/t'

type TreeProps = { node: DecodedNode; actions: DecodedActions; isInner?: boolean }
type RecordNode = Extract<DecodedNode, { kind: 'record' }>
type ListNode = Extract<DecodedNode, { kind: 'list' }>
type TableNode = Extract<DecodedNode, { kind: 'table' }>

/** Any decoded value, with what is in it. */
export function DecodedTree({ node, actions, isInner = false }: TreeProps) {
  switch (node.kind) {
    case 'value':
      return (
        <ValueRow node={node} actions={actions}>
          {node.call && <CallView call={node.call} actions={actions} />}
        </ValueRow>
      )
    case 'record':
      return <RecordView node={node} actions={actions} />
    case 'list':
      return <ListView node={node} actions={actions} isInner={isInner} />
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

/** A call, an event or an error with its arguments by name. */
function CallView({ call, actions }: { call: DecodedCall; actions: DecodedActions }) {
  return (
    <div className="@container mt-1 rounded-control border border-line bg-sunken px-3 py-2">
      <p className="text-13 wrap-anywhere" title={call.signature}>
        <span className="text-12 text-ink-3">{t(CALL_NAMES[call.kind])} </span>
        <span className="font-mono font-medium text-accent">{call.name}</span>
        <span className="ms-2 text-12 text-ink-3">{call.standard}</span>
      </p>
      {call.fields.length > 0 && <DecodedFields fields={call.fields} actions={actions} />}
    </div>
  )
}

/** Names beside their values; below each other where there is no room. */
function DecodedFields({ fields, actions }: { fields: DecodedField[]; actions: DecodedActions }) {
  return (
    <dl className="divide-y divide-line">
      {fields.map(({ name, type, node }) => (
        <div
          key={inWords(name)}
          className={`grid gap-x-4 py-1.5 ${isBlock(node) ? '' : '@sm:grid-cols-[minmax(7rem,8.5rem)_minmax(0,1fr)]'}`}
        >
          <dt className="text-12 leading-5 text-ink-3 wrap-anywhere" title={type}>
            {visibleText(inWords(name))}
          </dt>
          <dd className="min-w-0">
            <DecodedTree node={node} actions={actions} isInner />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** What has parts of its own takes the whole width. */
function isBlock(node: DecodedNode): boolean {
  if (node.kind === 'list') return node.items[0] !== undefined && isBlock(node.items[0])
  return node.kind === 'record' || node.kind === 'table' || (node.kind === 'value' && node.call !== undefined)
}

function RecordView({ node, actions }: { node: RecordNode; actions: DecodedActions }) {
  const { title, event, fields, hidden } = node
  return (
    <div className="@container min-w-0">
      {title && !event && <p className="mb-1 text-13 font-medium">{visibleText(inWords(title))}</p>}
      {event && <CallView call={event} actions={actions} />}
      {fields.length > 0 ? (
        <DecodedFields fields={fields} actions={actions} />
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

function ListView({ node, actions, isInner }: { node: ListNode; actions: DecodedActions; isInner: boolean }) {
  const { items, total, path, canShowMore } = node
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
            {item.kind === 'record' ? (
              <Card node={item} index={index} actions={actions} />
            ) : (
              <DecodedTree node={item} actions={actions} isInner />
            )}
          </li>
        ))}
      </ol>
      {items.length < total && (
        <p className="flex flex-wrap items-center gap-3 text-12 text-ink-3">
          {t('{count} of {total}', { count: items.length, total })}
          {canShowMore ? (
            <Button onClick={() => actions.onMore(path, items.length)}>{t('Show more')}</Button>
          ) : (
            t('The other views show all items.')
          )}
        </p>
      )}
    </div>
  )
}

type CardProps = { node: RecordNode; index: number; actions: DecodedActions }

/** A record of a list. Events are open, as they are what is looked for; others open when they are asked. */
function Card({ node, index, actions }: CardProps) {
  const [isOpen, setIsOpen] = useState(node.event !== undefined || index === 0)
  const name =
    node.event?.name ??
    (node.title === undefined ? t('Item {place}', { place: String(index + 1) }) : inWords(node.title))
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
          <span className="min-w-0 truncate text-12 text-ink-2">{visibleText(inWords(node.summary))}</span>
        )}
      </summary>
      {isOpen && (
        <div className="border-t border-line px-3 py-2">
          <CardBody node={node} actions={actions} />
        </div>
      )}
    </details>
  )
}

/** The card says the name already: of an event its arguments stand first, and then where it is. */
function CardBody({ node, actions }: Omit<CardProps, 'index'>) {
  const { title: _, event, ...rest } = node
  if (!event) return <RecordView node={rest} actions={actions} />
  return (
    <div className="@container min-w-0 space-y-2">
      <div className="rounded-control bg-sunken px-3 py-1">
        <DecodedFields fields={event.fields} actions={actions} />
      </div>
      <RecordView node={rest} actions={actions} />
    </div>
  )
}

function TableView({ node: { columns, rows, total } }: { node: TableNode }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard */}
      <div tabIndex={0} className="thin-scroll overflow-x-auto rounded-card border border-line">
        <table className="w-full border-collapse text-12 tabular-nums">
          <thead className="bg-sunken text-ink-2">
            <tr>
              {columns.map((column) => (
                <th
                  key={inWords(column)}
                  scope="col"
                  className="px-3 py-2 text-end font-medium whitespace-nowrap first:text-start"
                >
                  {inWords(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="font-mono">
            {rows.map((cells) => (
              <tr key={inWords(cells[0] ?? '')} className="border-t border-line">
                {cells.map((cell, index) => (
                  <td
                    key={inWords(columns[index] ?? '')}
                    className="px-3 py-1.5 text-end whitespace-nowrap first:text-start"
                  >
                    {visibleText(inWords(cell))}
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
}

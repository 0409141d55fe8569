'use client'

import { useEffect, useState } from 'react'
import type { DecodedItem, DecodedReply } from '@/components/rpc/response/decode/decoded'
import { inWords } from '@/components/rpc/response/decode/message-texts'
import { ITEMS_PATH } from '@/components/rpc/response/decode/paths'
import type { Reply } from '@/components/rpc/response/decode/reply'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { DecodedTree } from '@/components/rpc/response/decoded-tree'
import type { DecodedActions } from '@/components/rpc/response/decoded-value'
import type { OpenedAnswer } from '@/components/rpc/response/use-reply'
import { Button } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

const MORE_ITEMS = 50

type DecodedViewProps = {
  known: OpenedAnswer & { reply: Reply }
  item: number | undefined
  onUse: DecodedActions['onUse']
}

type Wanted = Readonly<Record<string, number>>

/** What the values of a response mean: amounts, times, addresses, calls and events. */
export function DecodedView({ known, item, onUse }: DecodedViewProps) {
  const { worker, opening, reply } = known
  const [wanted, setWanted] = useState<Wanted>({})
  const [decoded, setDecoded] = useState<DecodedReply | 'failed' | undefined>(undefined)
  useEffect(() => {
    const left = new AbortController()
    const part = item === undefined ? {} : { item }
    worker
      .ask<'decode'>(opening, { kind: 'decode', wanted, ...part }, { signal: left.signal })
      .then(setDecoded, () => !left.signal.aborted && setDecoded('failed'))
    return () => left.abort()
  }, [worker, opening, item, wanted])
  if (decoded === 'failed') return <Note text={t('Couldn’t decode the response. The other views show the original.')} />
  if (!decoded) return <div aria-hidden="true" className="skeleton m-4 h-24" />
  if (decoded.items.length === 0) return <Note text={t('Nothing to decode.')} />
  const more = (path: string, shown: number) => setWanted({ ...wanted, [path]: shown + MORE_ITEMS })
  const isBatch = reply.isBatch && item === undefined
  return (
    <div className="space-y-6 p-4">
      {decoded.items.map((one) => (
        <ItemView key={one.index} item={one} isBatch={isBatch} actions={{ onUse, onMore: more }} />
      ))}
      {decoded.items.length < Math.min(decoded.total, reply.items.length) && item === undefined && (
        <Button onClick={() => more(ITEMS_PATH, decoded.items.length)}>{t('Show more items')}</Button>
      )}
    </div>
  )
}

type ItemViewProps = { item: DecodedItem; isBatch: boolean; actions: DecodedActions }

function ItemView({ item, isBatch, actions }: ItemViewProps) {
  const { error, note, node } = item
  return (
    <section aria-label={isBatch ? t('Item {place}', { place: String(item.index + 1) }) : t('Decoded')}>
      {isBatch && (
        <h3 className="mb-2 flex gap-3 border-b border-line pb-1 font-mono text-12 text-ink-2">
          <span className="text-ink-3">{item.id === undefined ? t('no ID') : visibleText(item.id)}</span>
          {item.method}
        </h3>
      )}
      {note && <p className="mb-2 text-13 text-ink-2 wrap-anywhere">{visibleText(inWords(note))}</p>}
      {error && <ErrorView error={error} actions={actions} />}
      {node && <DecodedTree node={node} actions={actions} />}
    </section>
  )
}

type ErrorViewProps = { error: NonNullable<DecodedItem['error']>; actions: DecodedActions }

function ErrorView({ error: { code, meaning, message, revert }, actions }: ErrorViewProps) {
  return (
    <div className="space-y-2 rounded-card border border-danger p-3 text-13">
      <p className="font-medium text-danger">
        {code === undefined ? t('Error') : t('Error {code}', { code: visibleText(code) })}
        {meaning && <span className="font-normal text-ink-2">: {inWords(meaning)}</span>}
      </p>
      {message !== undefined && <p className="text-ink-2 wrap-anywhere">{visibleText(message)}</p>}
      {revert && <DecodedTree node={revert} actions={actions} />}
    </div>
  )
}

const Note = ({ text }: { text: string }) => <p className="p-4 text-14 text-ink-2">{text}</p>

'use client'

import type { RpcAnswer } from '@/components/rpc/client'
import type { Reply, ReplyItem } from '@/components/rpc/response/decode/reply'
import { visibleText } from '@/components/rpc/response/decode/visible-text'
import { itemCredits } from '@/components/rpc/response/item-credits'
import { plural, t } from '@/lib/i18n/t'

type BatchListProps = {
  answer: RpcAnswer
  reply: Reply
  picked: number | undefined
  onPick: (item: number | undefined) => void
}

/** The items of a batch: which call each answers, how it ended, and its share of the price. One is picked to look at. */
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
            <Ending item={item} />
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

function Row({ isPicked, onPick, children }: RowProps) {
  return (
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
}

function Ending({ item: { outcome, errorCode } }: { item: ReplyItem }) {
  if (outcome === 'result') return <span className="shrink-0 text-12 text-ok">{t('result')}</span>
  if (outcome === 'neither') return <span className="shrink-0 text-12 text-ink-2">{t('not JSON-RPC')}</span>
  return (
    <span className="shrink-0 text-12 text-danger">
      {t('error')} <bdi dir="ltr">{errorCode?.replace('-', '−') ?? ''}</bdi>
    </span>
  )
}

function methodOf(answer: RpcAnswer, { callIndex }: ReplyItem): string {
  return callIndex === undefined ? t('no matching call') : (answer.calls[callIndex]?.method ?? '')
}

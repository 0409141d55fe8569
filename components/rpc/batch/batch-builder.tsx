'use client'

import { useQueries, useQuery } from '@tanstack/react-query'
import { FileInput, Plus } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { BatchRow } from '@/components/rpc/batch/batch-row'
import { ImportSheet } from '@/components/rpc/batch/import-sheet'
import { type BatchItem, callsOf, duplicated, MAX_CALLS, moved, newItem, restored } from '@/components/rpc/batch/items'
import { keepItems, openItems } from '@/components/rpc/batch/kept-items'
import { problemsOf, type RowProblems } from '@/components/rpc/batch/row-problems'
import { useReorder } from '@/components/rpc/batch/use-reorder'
import type { RpcCallDraft } from '@/components/rpc/client'
import { firstMethod } from '@/components/rpc/method-names'
import { overviewQuery } from '@/components/rpc/overview'
import { creditsBefore, priceText } from '@/components/rpc/price'
import { SnippetsMenu } from '@/components/rpc/snippets/snippets-menu'
import { TOOL } from '@/components/rpc/snippets/tool-style'
import { methodQuery } from '@/components/rpc/use-call'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { UNDO_MS } from '@/lib/browser/undo'
import { METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type BatchBuilderProps = {
  network: RpcNetwork
  /** The single call that a person came from; it joins the batch. */
  seed: RpcCallDraft
  /** A batch that is opened again, in place of what is in the builder. */
  calls?: readonly RpcCallDraft[]
  /** The server has a node of the network. */
  isConnected: boolean
  onRun: (calls: readonly RpcCallDraft[]) => void
}

/** Several calls in one request: put together, put in order, checked, priced, run. */
export function BatchBuilder({ network, seed, calls: opened, isConnected, onRun }: BatchBuilderProps) {
  const [items, setItems] = useState(() => openItems(seed, opened))
  const [isImporting, setIsImporting] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const focus = useFocus(list, items)
  useEffect(() => keepItems(items), [items])
  const move = useCallback((id: string, to: number) => setItems((now) => moved(now, id, to)), [])
  const { dragged, start } = useReorder(list, move)
  const problems = useProblems(items, network)
  const sendable = callsOf(items, network)
  const canRun = isConnected && sendable !== undefined

  const moveBy = (item: BatchItem, by: -1 | 1) => {
    const to = items.indexOf(item) + by
    if (to < 0 || to >= items.length) return
    move(item.id, to)
    focus(item.id, by < 0 ? 'up' : 'down')
    announce(
      t('{call} is now {place} of {count}', {
        call: item.method || t('Call'),
        place: to + 1,
        count: items.length,
      }),
    )
  }
  const remove = (item: BatchItem) => {
    const at = items.indexOf(item)
    const next = items[at + 1] ?? items[at - 1]
    setItems((now) => now.filter(({ id }) => id !== item.id))
    if (next) focus(next.id, 'method')
    const undo = () => setItems((now) => restored(now, item, at))
    showToast({ text: t('Call removed'), lastsMs: UNDO_MS, action: { label: t('Undo'), run: undo } })
  }
  const add = () => {
    const item = newItem({ method: firstMethod(network.family), params: [] })
    setItems((now) => (now.length < MAX_CALLS ? [...now, item] : now))
    focus(item.id, 'method')
  }
  const replace = (calls: readonly RpcCallDraft[]) => {
    const before = items
    setItems(calls.map(newItem))
    setIsImporting(false)
    const undo = () => setItems(before)
    showToast({
      text: plural(calls.length, { one: 'Imported {count} call', other: 'Imported {count} calls' }),
      lastsMs: UNDO_MS,
      action: { label: t('Undo'), run: undo },
    })
  }
  const run = () => canRun && onRun(sendable)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    run()
  }
  const methodsId = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t('Batch')} onKeyDown={onKeyDown}>
      <div className="-mx-2 mb-2 flex flex-wrap items-center">
        <button type="button" onClick={add} disabled={items.length >= MAX_CALLS} className={TOOL}>
          <Plus aria-hidden="true" />
          {t('Add call')}
        </button>
        <button type="button" onClick={() => setIsImporting(true)} className={TOOL}>
          <FileInput aria-hidden="true" />
          {t('Paste JSON')}
        </button>
        {sendable && <SnippetsMenu network={network} calls={sendable} isBatch />}
        {items.length > MAX_CALLS / 2 && (
          <span className="ms-auto px-2 font-mono text-12 text-ink-3">
            {t('{count} of {total}', { count: items.length, total: MAX_CALLS })}
          </span>
        )}
      </div>
      {items.length === 0 && (
        <p className="rounded-card border border-dashed border-line px-4 py-8 text-center text-14 text-ink-3">
          {t('No calls yet. Add a call or paste a batch.')}
        </p>
      )}
      <ol ref={list} className="space-y-2">
        {items.map((item, index) => (
          <BatchRow
            key={item.id}
            item={item}
            place={index + 1}
            count={items.length}
            network={network}
            methodsId={methodsId}
            problems={problems[index] ?? NO_PROBLEMS}
            isDragged={item.id === dragged}
            onChange={(change) =>
              setItems((now) => now.map((each) => (each.id === item.id ? { ...each, ...change } : each)))
            }
            onGrab={(event) => start(event, item.id)}
            onMove={(by) => moveBy(item, by)}
            onDuplicate={() => setItems((now) => duplicated(now, item.id))}
            onRemove={() => remove(item)}
          />
        ))}
      </ol>
      <MethodNames id={methodsId} network={network} />
      <RunBar network={network} items={items} problems={problems} canRun={canRun} onRun={run} />
      {isImporting && <ImportSheet onTake={replace} onClose={() => setIsImporting(false)} />}
    </div>
  )
}

const NO_PROBLEMS: RowProblems = { notes: [] }

/** What is known of the methods is fetched once for all rows that have one. */
function useProblems(items: readonly BatchItem[], network: RpcNetwork): RowProblems[] {
  const methods = [...new Set(items.map(({ method }) => method))]
  const known = useQueries({ queries: methods.map((method) => methodQuery(network.family, method)) })
  return items.map((item) => problemsOf(item, network, known[methods.indexOf(item.method)]?.data?.check))
}

function MethodNames({ id, network }: { id: string; network: RpcNetwork }) {
  return (
    <datalist id={id}>
      {METHOD_GROUPS.filter(({ family }) => family === network.family).flatMap(({ methods }) =>
        methods.map((method) => <option key={method} value={method} />),
      )}
    </datalist>
  )
}

type RunBarProps = {
  network: RpcNetwork
  items: readonly BatchItem[]
  problems: readonly RowProblems[]
  canRun: boolean
  onRun: () => void
}

function RunBar({ network, items, problems, canRun, onRun }: RunBarProps) {
  const overview = useQuery(overviewQuery())
  const credits = items.reduce((sum, { method }) => sum + creditsBefore(network, [method]), 0)
  const faulty = problems.filter(({ fault }) => fault !== undefined).length
  const doubtful = problems.filter(({ notes }) => notes.some(({ severity }) => severity === 'error')).length
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-3">
      <Button kind="primary" disabled={!canRun} onClick={onRun} title={t('Ctrl+Enter or ⌘+Enter')}>
        {plural(items.length, { one: 'Run {count} call', other: 'Run {count} calls' })}
      </Button>
      <div className="text-13">
        <p className="font-mono text-ink-2">{priceText(credits, overview.data?.usdPerCredit)}</p>
        {faulty > 0 && (
          <p className="text-danger">
            {plural(faulty, {
              one: '{count} call has errors. Fix it to run.',
              other: '{count} calls have errors. Fix them to run.',
            })}
          </p>
        )}
        {faulty === 0 && doubtful > 0 && (
          <p className="text-ink-2">
            {plural(doubtful, {
              one: '{count} call will probably fail. An error costs 5 credits.',
              other: '{count} calls will probably fail. An error costs 5 credits.',
            })}
          </p>
        )}
      </div>
    </div>
  )
}

/** What has the focus once the list is drawn again: a row that moves in the document would lose it. */
function useFocus(list: React.RefObject<HTMLElement | null>, items: readonly BatchItem[]) {
  const wanted = useRef<{ id: string; part: string }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is for after the list has changed
  useEffect(() => {
    if (!wanted.current) return
    const { id, part } = wanted.current
    wanted.current = undefined
    const row = list.current?.querySelector(`[data-id="${CSS.escape(id)}"]`)
    const target =
      row?.querySelector<HTMLElement>(`[data-part="${part}"]:not(:disabled)`) ?? row?.querySelector('button')
    ;(target as HTMLElement | null)?.focus()
  }, [items])
  return (id: string, part: 'up' | 'down' | 'method') => {
    wanted.current = { id, part }
  }
}

'use client'

import { useQueries, useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, CopyPlus, FileInput, GripVertical, Plus, Trash2 } from 'lucide-react'
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import {
  type BatchItem,
  callsOf,
  duplicated,
  importedBatch,
  initialItems,
  moved,
  newItem,
  problemsOf,
  type RowProblems,
  restored,
  storeItems,
} from '@/components/rpc/batch/items'
import type { RpcCallDraft } from '@/components/rpc/client'
import { firstMethod } from '@/components/rpc/method-list'
import { creditsBefore, formatCredits, formatPrice, overviewQuery } from '@/components/rpc/networks'
import { TOOL } from '@/components/rpc/notices'
import { SnippetsMenu } from '@/components/rpc/snippets/snippets-menu'
import { methodQuery } from '@/components/rpc/use-call'
import { announce } from '@/components/ui/announcer'
import { Button, IconButton } from '@/components/ui/button'
import { CodeEditor } from '@/components/ui/code-editor'
import { Sheet } from '@/components/ui/modal'
import { showToast } from '@/components/ui/toast'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type BatchBuilderProps = {
  network: RpcNetwork
  seed: RpcCallDraft
  calls?: readonly RpcCallDraft[]
  isConnected: boolean
  onRun: (calls: readonly RpcCallDraft[]) => void
}

export function BatchBuilder({ network, seed, calls: opened, isConnected, onRun }: BatchBuilderProps) {
  const [items, setItems] = useState(() => initialItems(seed, opened))
  const [isImporting, setIsImporting] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const focus = useFocus(list, items)
  useEffect(() => storeItems(items), [items])
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
    const call = item.method || t('Call')
    announce(t('{call} is now {place} of {count}', { call, place: to + 1, count: items.length }))
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
    setItems((now) => (now.length < MAX_RPC_BATCH_CALLS ? [...now, item] : now))
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
        <button type="button" onClick={add} disabled={items.length >= MAX_RPC_BATCH_CALLS} className={TOOL}>
          <Plus aria-hidden="true" />
          {t('Add call')}
        </button>
        <button type="button" onClick={() => setIsImporting(true)} className={TOOL}>
          <FileInput aria-hidden="true" />
          {t('Paste JSON')}
        </button>
        {sendable && <SnippetsMenu network={network} calls={sendable} isBatch />}
        {items.length > MAX_RPC_BATCH_CALLS / 2 && (
          <span className="ms-auto px-2 font-mono text-12 text-ink-3">
            {t('{count} of {total}', { count: items.length, total: MAX_RPC_BATCH_CALLS })}
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
            {...{ network, methodsId }}
            place={index + 1}
            count={items.length}
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

function useProblems(items: readonly BatchItem[], network: RpcNetwork): RowProblems[] {
  const methods = [...new Set(items.map(({ method }) => method))]
  const known = useQueries({ queries: methods.map((method) => methodQuery(network.family, method)) })
  return items.map((item) => problemsOf(item, network, known[methods.indexOf(item.method)]?.data?.check))
}

const MethodNames = ({ id, network }: { id: string; network: RpcNetwork }) => (
  <datalist id={id}>
    {METHOD_GROUPS.filter(({ family }) => family === network.family).flatMap(({ methods }) =>
      methods.map((method) => <option key={method} value={method} />),
    )}
  </datalist>
)

type RunBarProps = {
  network: RpcNetwork
  items: readonly BatchItem[]
  problems: readonly RowProblems[]
  canRun: boolean
  onRun: () => void
}

function RunBar({ network, items, problems, canRun, onRun }: RunBarProps) {
  const overview = useQuery(overviewQuery())
  const methods = items.map(({ method }) => method)
  const faulty = problems.filter(({ fault }) => fault !== undefined).length
  const doubtful = problems.filter(({ notes }) => notes.some(({ severity }) => severity === 'error')).length
  return (
    <div className="sticky max-md:bottom-0 md:-bottom-5 z-10 -mx-4 mt-4 -mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-paper px-4 py-3">
      <Button kind="primary" disabled={!canRun} onClick={onRun} title={t('Ctrl+Enter or ⌘+Enter')}>
        {plural(items.length, { one: 'Run {count} call', other: 'Run {count} calls' })}
      </Button>
      <div className="text-13">
        <p className="font-mono text-ink-2">
          {formatPrice(creditsBefore(network, methods), overview.data?.usdPerCredit)}
        </p>
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

// A row that moves in the document loses the focus: it returns after the list is drawn again.
function useFocus(list: React.RefObject<HTMLElement | null>, items: readonly BatchItem[]) {
  const pendingFocus = useRef<{ id: string; part: string }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is for after the list has changed
  useEffect(() => {
    if (!pendingFocus.current) return
    const { id, part } = pendingFocus.current
    pendingFocus.current = undefined
    const row = list.current?.querySelector(`[data-id="${CSS.escape(id)}"]`)
    const target =
      row?.querySelector<HTMLElement>(`[data-part="${part}"]:not(:disabled)`) ?? row?.querySelector('button')
    ;(target as HTMLElement | null)?.focus()
  }, [items])
  return (id: string, part: 'up' | 'down' | 'method') => {
    pendingFocus.current = { id, part }
  }
}

type ImportSheetProps = { onTake: (calls: readonly RpcCallDraft[]) => void; onClose: () => void }

function ImportSheet({ onTake, onClose }: ImportSheetProps) {
  const [text, setText] = useState('')
  const imported = text.trim() === '' ? undefined : importedBatch(text)
  const calls = imported && 'calls' in imported ? imported.calls : undefined
  const take = () => calls && onTake(calls)
  return (
    <Sheet isOpen onClose={onClose} title={t('Paste batch')}>
      <p className="mt-2 mb-4 text-ink-2">
        {t('Paste a JSON-RPC batch or a single call. It replaces the calls in the builder.')}
      </p>
      <CodeEditor label={t('Batch as JSON')} value={text} onChange={setText} onRun={take} minLines={8} maxLines={16} />
      <p role="status" className="mt-2 min-h-5 text-13 text-ink-2">
        {calls && plural(calls.length, { one: '{count} call', other: '{count} calls' })}
        {imported && 'problem' in imported && <span className="text-danger">{imported.problem}</span>}
      </p>
      <div className="mt-3 flex justify-end gap-2">
        <Button kind="plain" onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button kind="primary" disabled={!calls} onClick={take}>
          {t('Replace calls')}
        </Button>
      </div>
    </Sheet>
  )
}

// It listens to the window, not the handle: a row that moves in the document loses the pointer it had captured.
function useReorder(list: RefObject<HTMLElement | null>, onMove: (id: string, to: number) => void) {
  const [dragged, setDragged] = useState<string>()
  useEffect(() => {
    if (dragged === undefined) return
    const follow = (event: globalThis.PointerEvent) => {
      const rows = [...(list.current?.children ?? [])]
      const others = rows.filter((row) => row.getAttribute('data-id') !== dragged)
      onMove(dragged, others.filter((row) => middleOf(row) < event.clientY).length)
    }
    const end = () => setDragged(undefined)
    const listening = new AbortController()
    const { signal } = listening
    window.addEventListener('pointermove', follow, { signal })
    window.addEventListener('pointerup', end, { signal })
    window.addEventListener('pointercancel', end, { signal })
    return () => listening.abort()
  }, [dragged, list, onMove])
  const start = (event: PointerEvent, id: string) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDragged(id)
  }
  return { dragged, start }
}

function middleOf(row: Element): number {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}

type BatchRowProps = {
  item: BatchItem
  place: number
  count: number
  network: RpcNetwork
  methodsId: string
  problems: RowProblems
  isDragged: boolean
  onChange: (change: Partial<Omit<BatchItem, 'id'>>) => void
  onGrab: (event: PointerEvent) => void
  onMove: (by: -1 | 1) => void
  onDuplicate: () => void
  onRemove: () => void
}

export function BatchRow({ item, place, count, network, methodsId, problems, isDragged, ...on }: BatchRowProps) {
  const problemsId = useId()
  const at = { place: String(place) }
  const credits = creditsBefore(network, [item.method])
  const hasError = problems.fault !== undefined || problems.notes.some(({ severity }) => severity === 'error')
  return (
    <li
      data-id={item.id}
      aria-label={t('Call {place}', at)}
      className={`rounded-card border bg-surface p-2 ${isDragged ? 'border-accent shadow-over' : 'border-line'}`}
    >
      <div className="flex items-center gap-1">
        <span
          aria-hidden="true"
          title={t('Drag to reorder')}
          onPointerDown={on.onGrab}
          className="inline-flex h-9 w-6 shrink-0 cursor-grab touch-none items-center justify-center text-ink-3 hover:text-ink"
        >
          <GripVertical className="size-4" strokeWidth={1.5} />
        </span>
        <span className="w-6 shrink-0 text-end font-mono text-12 text-ink-3 tabular-nums">{place}</span>
        <input
          data-part="method"
          aria-label={t('Method of call {place}', at)}
          dir="ltr"
          list={methodsId}
          value={item.method}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => on.onChange({ method: event.target.value.trim() })}
          className="h-9 min-w-0 flex-1 rounded-control bg-transparent px-2 font-mono text-13 font-medium outline-none hover:bg-hover focus:bg-sunken pointer-coarse:h-11"
        />
      </div>
      <textarea
        aria-label={t('Parameters of call {place}', at)}
        dir="ltr"
        aria-invalid={hasError}
        aria-describedby={problemsId}
        value={item.paramsText}
        rows={item.paramsText.split('\n').length}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={(event) => on.onChange({ paramsText: event.target.value })}
        className={`thin-scroll mt-1 block field-sizing-content max-h-60 w-full resize-none rounded-control border bg-sunken px-3 py-2 font-mono text-13 leading-5 wrap-anywhere outline-none focus:border-accent ${hasError ? 'border-danger' : 'border-transparent'}`}
      />
      <div id={problemsId} className="px-1 text-13 wrap-anywhere *:mt-1.5">
        {problems.fault !== undefined && <p className="text-danger">{problems.fault}</p>}
        {problems.notes.map(({ text, severity }) => (
          <p key={text} dir="auto" className={severity === 'error' ? 'text-danger' : 'text-ink-2'}>
            {text}
          </p>
        ))}
      </div>
      <div className="mt-0.5 flex items-center justify-between gap-2">
        <span className="px-1 font-mono text-12 text-ink-3">{credits > 0 && formatCredits(credits)}</span>
        <div className="flex shrink-0">
          <IconButton
            label={t('Move call {place} up', at)}
            data-part="up"
            disabled={place === 1}
            onClick={() => on.onMove(-1)}
          >
            <ArrowUp aria-hidden="true" />
          </IconButton>
          <IconButton
            label={t('Move call {place} down', at)}
            data-part="down"
            disabled={place === count}
            onClick={() => on.onMove(1)}
          >
            <ArrowDown aria-hidden="true" />
          </IconButton>
          <IconButton label={t('Duplicate call {place}', at)} onClick={on.onDuplicate}>
            <CopyPlus aria-hidden="true" />
          </IconButton>
          <IconButton label={t('Remove call {place}', at)} onClick={on.onRemove}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        </div>
      </div>
    </li>
  )
}

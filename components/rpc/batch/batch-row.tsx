'use client'

import { ArrowDown, ArrowUp, CopyPlus, GripVertical, Trash2 } from 'lucide-react'
import { type PointerEvent, useId, useLayoutEffect, useRef } from 'react'
import type { BatchItem, RowProblems } from '@/components/rpc/batch/items'
import { creditsBefore, formatCredits } from '@/components/rpc/networks'
import { IconButton } from '@/components/ui/button'
import type { RpcNetwork } from '@/lib/contract/rpc'
import { t } from '@/lib/i18n/t'

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
  const field = useFit(item.paramsText)
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
        ref={field}
        aria-label={t('Parameters of call {place}', at)}
        dir="ltr"
        aria-invalid={hasError}
        aria-describedby={problemsId}
        value={item.paramsText}
        rows={1}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={(event) => on.onChange({ paramsText: event.target.value })}
        className={`thin-scroll mt-1 block max-h-60 w-full resize-none rounded-control border bg-sunken px-3 py-2 font-mono text-13 leading-5 wrap-anywhere outline-none focus:border-accent ${hasError ? 'border-danger' : 'border-transparent'}`}
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

// As high as its text; `field-sizing` is not in every browser yet.
function useFit(text: string) {
  const field = useRef<HTMLTextAreaElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    const border = element.offsetHeight - element.clientHeight
    element.style.height = `${element.scrollHeight + border}px`
  }, [text])
  return field
}

'use client'

import { useId, useRef } from 'react'
import { type BlockText, type BlockType, blockOf, blockText, tagsOf, takesHash } from '@/components/rpc/form/block-text'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { LongText } from '@/components/rpc/form/long-text'
import { Select } from '@/components/rpc/form/select'
import { useTyped } from '@/components/rpc/form/use-typed'
import { msg, t } from '@/lib/i18n/t'

const NAMES: Record<string, string> = {
  latest: msg('Latest'),
  pending: msg('Pending'),
  safe: msg('Safe'),
  finalized: msg('Finalized'),
  earliest: msg('Earliest'),
  pre_confirmed: msg('Pre-confirmed'),
  l1_accepted: msg('Accepted on L1'),
}

type BlockFieldProps = FieldProps & { type: BlockType }

/** A block by tag, number or hash. */
export function BlockField({ type, ...field }: BlockFieldProps) {
  const { doc, value, onChange } = field
  const id = useId()
  const input = useRef<HTMLDivElement>(null)
  const block = blockText(type, value) ?? { mode: 'none' }
  const [text, keep] = useTyped(value, 'text' in block ? block.text : '')
  const change = (next: BlockText) => {
    const written = blockOf(type, next, value)
    if ('text' in next) keep(next.text, written)
    onChange(written)
  }
  const pick = (choice: string) => {
    if (choice === 'none') return change({ mode: 'none' })
    const [mode, tag = ''] = choice.split(':') as [BlockText['mode'], string?]
    if (mode === 'tag') return change({ mode, text: tag })
    change({ mode: mode === 'hash' ? 'hash' : 'number', text: mode === 'hash' ? '' : '0' })
    requestAnimationFrame(() => input.current?.querySelector('textarea')?.select())
  }
  const isTyped = block.mode === 'number' || block.mode === 'hash'
  const note = typeof value === 'string' && isTyped && text !== value ? t('Sent as {value}', { value }) : ''
  return (
    <FieldFrame {...field} id={id} note={note}>
      {(control) => (
        <div className="flex flex-wrap gap-1.5">
          <Select
            {...(isTyped ? { label: t('{field} type', { field: doc.label }) } : control)}
            value={block.mode === 'tag' ? `tag:${block.text}` : block.mode}
            options={optionsOf(type, doc.isRequired && block.mode !== 'none', doc.default)}
            onChange={pick}
            className={isTyped ? 'w-36 shrink-0' : 'w-full'}
          />
          {isTyped && (
            <div ref={input} className="min-w-40 flex-1">
              <LongText {...control} value={text} onChange={(next) => change({ mode: block.mode, text: next })} />
            </div>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

function optionsOf(type: BlockType, isSet: boolean, standard: unknown) {
  const left =
    typeof standard === 'string'
      ? t('Not set ({standard})', { standard: tagName(standard).toLowerCase() })
      : t('Not set')
  return [
    ...(isSet ? [] : [{ value: 'none', label: left }]),
    ...tagsOf(type).map((tag) => ({ value: `tag:${tag}`, label: tagName(tag) })),
    { value: 'number', label: t('Number…') },
    ...(takesHash(type) ? [{ value: 'hash', label: t('Hash…') }] : []),
  ]
}

const tagName = (tag: string): string => (NAMES[tag] === undefined ? tag : t(NAMES[tag]))

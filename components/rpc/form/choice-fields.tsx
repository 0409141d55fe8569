'use client'

import { useRef } from 'react'
import {
  FieldFrame,
  type FieldProps,
  GroupFrame,
  LongText,
  Select,
  type TypedFieldProps,
  useForm,
  useTyped,
} from '@/components/rpc/form/field-frame'
import {
  type BlockText,
  type BlockType,
  blockOf,
  blockText,
  tagsOf,
  takesHash,
} from '@/components/rpc/form/text-to-value'
import type { ChoiceOption, Type } from '@/components/rpc/methods/types'
import { RadioChips } from '@/components/ui/form-fields'
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

export function BlockField({ type, ...field }: TypedFieldProps<BlockType['kind']>) {
  const { doc, value, onChange } = field
  const input = useRef<HTMLDivElement>(null)
  const block = blockText(type, value) ?? { mode: 'none' }
  const [text, show] = useTyped(value, 'text' in block ? block.text : '')
  const change = (next: BlockText) => {
    const written = blockOf(type, next, value)
    if ('text' in next) show(next.text, written)
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
    <FieldFrame {...field} note={note}>
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

function optionsOf(type: BlockType, isSet: boolean, defaultTag: unknown) {
  const left =
    typeof defaultTag === 'string'
      ? t('Not set ({standard})', { standard: tagName(defaultTag).toLowerCase() })
      : t('Not set')
  return [
    ...(isSet ? [] : [{ value: 'none', label: left }]),
    ...tagsOf(type).map((tag) => ({ value: `tag:${tag}`, label: tagName(tag) })),
    { value: 'number', label: t('Number…') },
    ...(takesHash(type) ? [{ value: 'hash', label: t('Hash…') }] : []),
  ]
}

const tagName = (tag: string): string => (NAMES[tag] === undefined ? tag : t(NAMES[tag]))

const NOT_SET = ''

export function ChoiceField({ type, ...field }: TypedFieldProps<'choice'>) {
  const { doc, value, onChange } = field
  const chosen = type.options.findIndex((option) => option.value === value)
  const options = type.options.map(({ label }, index) => ({ value: String(index), label }))
  const isOpen = !doc.isRequired || chosen < 0
  return (
    <FieldFrame {...field}>
      {(control) => (
        <Select
          {...control}
          value={chosen < 0 ? NOT_SET : String(chosen)}
          options={isOpen ? [{ value: NOT_SET, label: t('Not set') }, ...options] : options}
          onChange={(next) => onChange(next === NOT_SET ? undefined : type.options[Number(next)]?.value)}
        />
      )}
    </FieldFrame>
  )
}

export function BooleanField(field: FieldProps) {
  const { doc, value, onChange } = field
  const problems = useForm().problemsAt(field.path)
  const options: { value: 'unset' | 'no' | 'yes'; label: string }[] = [
    { value: 'no', label: t('No') },
    { value: 'yes', label: t('Yes') },
  ]
  if (!doc.isRequired) options.unshift({ value: 'unset', label: t('Not set') })
  return (
    <FieldFrame {...field}>
      {(control) => (
        <div
          {...control}
          role="radiogroup"
          aria-label={doc.label}
          aria-invalid={problems.length > 0}
          className="flex flex-wrap gap-1.5"
        >
          <RadioChips
            options={options}
            value={typeof value !== 'boolean' ? 'unset' : value ? 'yes' : 'no'}
            onChange={(choice) => onChange(choice === 'unset' ? undefined : choice === 'yes')}
            className="justify-center px-3.5"
          />
        </div>
      )}
    </FieldFrame>
  )
}

export function isFlags(type: Type & { kind: 'list' }, value: unknown): boolean {
  if (type.of.kind !== 'choice') return false
  const { options } = type.of
  const entries: unknown[] = Array.isArray(value) ? value : []
  return (
    new Set(entries).size === entries.length && entries.every((entry) => options.some((each) => each.value === entry))
  )
}

export function FlagsField({ type, ...field }: TypedFieldProps<'list'>) {
  const { value, onChange } = field
  const options: readonly ChoiceOption[] = type.of.kind === 'choice' ? type.of.options : []
  const chosen: unknown[] = Array.isArray(value) ? value : []
  const toggle = (option: ChoiceOption, isOn: boolean) =>
    onChange(isOn ? [...chosen, option.value] : chosen.filter((entry) => entry !== option.value))
  return (
    <GroupFrame {...field}>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {options.map((option) => (
          <label key={option.label} className="flex min-h-9 items-center gap-2 text-14 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 pointer-coarse:size-5"
              checked={chosen.includes(option.value)}
              onChange={(event) => toggle(option, event.target.checked)}
            />
            <span lang="en" dir="ltr">
              {option.label}
            </span>
          </label>
        ))}
      </div>
    </GroupFrame>
  )
}

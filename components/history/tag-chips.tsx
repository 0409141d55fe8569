'use client'

import { t } from '@/lib/i18n/t'

type TagChipsProps = { tags: readonly string[]; tag: string | undefined; onTag: (tag: string | undefined) => void }

/** The tags in use: one can be looked at alone. */
export function TagChips({ tags, tag, onTag }: TagChipsProps) {
  return (
    <fieldset className="thin-scroll flex gap-1 overflow-x-auto px-2 pt-2 pb-1">
      <legend className="sr-only">{t('Tags')}</legend>
      {tags.map((name) => (
        <button
          key={name}
          type="button"
          dir="auto"
          aria-pressed={tag === name}
          onClick={() => onTag(tag === name ? undefined : name)}
          className="min-h-7 shrink-0 rounded-chip border border-line px-2.5 text-12 text-ink-2 hover:border-control aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}

'use client'

import { useEffect, useRef } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

/** Copies the code shown in the same frame, which is in the page already and not sent twice. */
export function CopyCode({ className = '' }: { className?: string }) {
  const place = useRef<HTMLSpanElement>(null)
  const shown = () => {
    const all = place.current?.closest('.docs-code')?.querySelectorAll<HTMLElement>('pre') ?? []
    return [...all].find((one) => one.checkVisibility())?.textContent ?? ''
  }
  return (
    <span ref={place} className={className}>
      <CopyButton text={shown} label={t('Copy code')} />
    </span>
  )
}

/** Shows all samples of code in the language that was chosen in one, now and before. */
export function ChosenLanguage() {
  useEffect(() => {
    choose(readPreference('docsLanguage'))
    const onChange = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement) || target.dataset.docsLanguage === undefined) return
      choose(target.value)
      writePreference('docsLanguage', target.value)
    }
    document.addEventListener('change', onChange)
    return () => document.removeEventListener('change', onChange)
  }, [])
  return null
}

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[data-docs-language]')) {
    if (input.value === language) input.checked = true
  }
}

'use client'

import { useEffect } from 'react'
import { readPreference, writePreference } from '@/lib/browser/preferences'

/** Who chose a language for one sample has it for all, also on the next page. */
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

/** A sample that does not have the language keeps what it shows. */
function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[data-docs-language]')) {
    if (input.value === language) input.checked = true
  }
}

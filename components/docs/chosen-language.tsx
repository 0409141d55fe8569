'use client'

import { useEffect } from 'react'
import { readPreference, writePreference } from '@/lib/browser/preferences'

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

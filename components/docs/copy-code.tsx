'use client'

import { useRef } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
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

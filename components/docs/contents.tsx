'use client'

import { useEffect, useState } from 'react'
import type { Heading } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

const READ_SHARE = 0.3

export function Contents({ headings }: { headings: readonly Heading[] }) {
  const current = useCurrentPart(headings)
  return (
    <nav aria-label={t('On this page')}>
      <p className="mb-2 text-12 font-medium text-ink-3">{t('On this page')}</p>
      <ul lang="en" dir="ltr" className="border-s border-line">
        {headings.map(({ id, text, level }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? 'true' : undefined}
              className={`-ms-px block border-s border-transparent py-1 text-13 text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:text-ink ${level === 3 ? 'ps-6' : 'ps-3'}`}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function useCurrentPart(headings: readonly Heading[]): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const elements = headings.flatMap(({ id }) => document.getElementById(id) ?? [])
    const scroller = elements[0]?.closest('.docs-scroller')
    if (!scroller) return
    const look = () => {
      const { top, height } = scroller.getBoundingClientRect()
      const line = top + height * READ_SHARE
      const read = elements.findLast((element) => element.getBoundingClientRect().top <= line)
      setCurrent((read ?? elements[0])?.id)
    }
    look()
    scroller.addEventListener('scroll', look, { passive: true })
    return () => scroller.removeEventListener('scroll', look)
  }, [headings])
  return current
}

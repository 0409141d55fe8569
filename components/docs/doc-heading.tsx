import type { ReactNode } from 'react'
import { t } from '@/lib/i18n/t'

type DocHeadingProps = { level: 2 | 3; id: string; children: ReactNode }

export function DocHeading({ level, id, children }: DocHeadingProps) {
  const Tag = level === 2 ? 'h2' : 'h3'
  return (
    <Tag id={id} className="group/heading scroll-mt-6">
      {children}
      <a href={`#${id}`} aria-label={t('Link to this section')} className="docs-anchor">
        #
      </a>
    </Tag>
  )
}

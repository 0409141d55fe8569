'use client'

import { useMemo } from 'react'
import { SourcesBar } from '@/components/chat/citations/sources-bar'
import { usedCitations } from '@/components/markdown/citations/sources'
import type { Citation } from '@/lib/contract/chat.schema'

/** The sources of a finished answer: those that it cites come first. */
export function AnswerSources({ text, citations }: { text: string; citations: Citation[] }) {
  const used = useMemo(() => usedCitations(text), [text])
  return <SourcesBar citations={citations} used={used} />
}

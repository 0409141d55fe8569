'use client'

import { useMemo } from 'react'
import { usedCitations } from '@/components/chat/citations/sources'
import { SourcesBar } from '@/components/chat/citations/sources-bar'
import type { Citation } from '@/lib/contract/chat.schema'

/** The sources of a finished answer: those that it cites come first. */
export function AnswerSources({ text, citations }: { text: string; citations: Citation[] }) {
  const used = useMemo(() => usedCitations(text), [text])
  return <SourcesBar citations={citations} used={used} />
}

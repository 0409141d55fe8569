'use client'

import { useEffect, useState } from 'react'
import { keptTranscript, type Transcript } from '@/components/studio/audio/transcript'
import { loadFile } from '@/components/studio/files'
import type { Generation } from '@/lib/browser/storage/generations'

/** The words of a creation with their times; nothing while they are read, and where only the words are known. */
export function useTranscript({ results: [file] }: Pick<Generation, 'results'>): Transcript | undefined {
  const { hash, mediaType } = file ?? {}
  const [found, setFound] = useState<{ hash: string; transcript: Transcript }>()
  useEffect(() => {
    if (hash === undefined || mediaType === undefined) return
    let isGone = false
    void loadFile({ hash, mediaType })
      .then((bytes) => bytes?.text())
      .then((text) => {
        if (text !== undefined && !isGone) setFound({ hash, transcript: keptTranscript(JSON.parse(text)) })
      })
      .catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [hash, mediaType])
  return found?.hash === hash ? found?.transcript : undefined
}

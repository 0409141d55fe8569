'use client'

import { type ReactNode, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { showToast } from '@/components/ui/toast'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { saveLocal } from '@/lib/browser/storage/own-characters'
import { t } from '@/lib/i18n/t'

const WARNING_LASTS_MS = 8_000

type ImportButtonProps = { onImported: (id: string) => void; children: ReactNode }

/** Takes a character card from a file into this browser. */
export function ImportButton({ onImported, children }: ImportButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isReading, setIsReading] = useState(false)
  const [fault, setFault] = useState('')
  const read = async (file: File) => {
    setIsReading(true)
    setFault('')
    try {
      onImported(await importCard(file))
    } catch (error) {
      setFault(wordsOf(error))
    } finally {
      setIsReading(false)
    }
  }
  return (
    <div className="flex flex-col items-end">
      <Button disabled={isReading} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <FileInput
        ref={input}
        aria-label={t('Character card')}
        accept=".png,.json,image/png,application/json"
        tabIndex={-1}
        hidden
        onFiles={([file]) => void read(file)}
      />
      <p role="alert" className="max-w-80 text-end text-13 text-danger not-empty:pt-1.5">
        {fault}
      </p>
    </div>
  )
}

async function importCard(file: File): Promise<string> {
  // What reads cards is loaded with the first of them.
  const { readLocalCard } = await import('@/components/characters/card-file')
  const { draft, picture, warnings } = await readLocalCard(file)
  const portrait = picture && (await keepBlob('', picture))
  const { id } = await saveLocal({ ...draft, ...(portrait && { portrait }) })
  if (warnings.length > 0) showToast({ text: warnings.join(' '), lastsMs: WARNING_LASTS_MS })
  return id
}

function wordsOf(error: unknown): string {
  if (error instanceof RangeError) return t('Too many characters in this browser. Delete one first.')
  // Its message is made for this place and repeats nothing of the file.
  if (error instanceof Error && error.name === 'CardError') return error.message
  return t('The card could not be saved in this browser. Free up space and try again.')
}

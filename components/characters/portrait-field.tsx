'use client'

import { useRef, useState } from 'react'
import { StoredPicture } from '@/components/characters/local-portrait'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'
import { shrinkPicture } from '@/lib/browser/files/shrink-image'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { t } from '@/lib/i18n/t'

type PortraitFieldProps = {
  name: string
  /** The picture that is kept now. */
  hash: string | undefined
  onChange: (hash: string | undefined) => void
}

/** A portrait from a file. It is made small and square here; the file itself is not kept. */
export function PortraitField({ name, hash, onChange }: PortraitFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState('')
  const take = async (file: File) => {
    setFault('')
    try {
      onChange(await keepBlob('', await shrinkPicture(file)))
    } catch (error) {
      setFault(error instanceof RangeError ? error.message : t('This image can’t be read. Choose another one.'))
    }
  }
  return (
    <div className="flex items-center gap-4">
      <StoredPicture hash={hash} name={name || '?'} className="size-20 shrink-0 rounded-card border border-line" />
      <div className="min-w-0 space-y-1.5">
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => input.current?.click()}>{t('Choose image')}</Button>
          {hash !== undefined && (
            <Button kind="plain" onClick={() => onChange(undefined)}>
              {t('Remove image')}
            </Button>
          )}
        </div>
        <p role="alert" className="text-13 text-danger empty:hidden">
          {fault}
        </p>
      </div>
      <FileInput
        ref={input}
        aria-label={t('Image')}
        accept="image/*"
        tabIndex={-1}
        hidden
        onFiles={([file]) => void take(file)}
      />
    </div>
  )
}

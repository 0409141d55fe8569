'use client'

import { type RefObject, useEffect, useImperativeHandle } from 'react'
import { MissingBytes } from '@/components/common/missing-bytes'
import type { PlayerHandle } from '@/components/studio/audio/sound-player'
import { useSound } from '@/components/studio/audio/use-sound'
import { useFileUrl } from '@/components/studio/parts/use-file'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

type FilmPlayerProps = {
  file: CreationFile
  label: string
  onTime?: (seconds: number) => void
  handle?: RefObject<PlayerHandle | null>
}

/** A film, played by the browser itself. */
export function FilmPlayer({ file, label, onTime, handle }: FilmPlayerProps) {
  const url = useFileUrl(file)
  const { medium, at, seek, hasFailed } = useSound(url)
  useImperativeHandle(handle, () => ({ seek }))
  useEffect(() => onTime?.(at), [at, onTime])
  if (url === null) {
    return (
      <div className="p-3 pb-0">
        <MissingBytes name={file.name} />
      </div>
    )
  }
  const shape = { aspectRatio: `${file.width ?? 16} / ${file.height ?? 9}` }
  if (hasFailed) {
    return (
      <p className="flex items-center justify-center bg-sunken p-6 text-center text-13 text-ink-2" style={shape}>
        {t('This browser cannot play this video. Download it instead.')}
      </p>
    )
  }
  return (
    <video
      ref={medium as RefObject<HTMLVideoElement>}
      {...(url && { src: url })}
      controls
      playsInline
      preload="metadata"
      aria-label={label}
      className="block max-h-[34rem] w-full bg-[#000]"
      style={shape}
    />
  )
}

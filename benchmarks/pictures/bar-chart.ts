import { BarChart } from 'echarts/charts';
import {
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, SVGRenderer]);

/** A picture of figures side by side, labelled so that it needs no caption. */
export interface BarPicture {
  readonly title: string;
  /** What the lengths of the bars mean. */
  readonly unit: string;
  readonly categories: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | undefined)[];
    /** What stands beside the bars in place of the values. */
    readonly texts?: readonly (string | undefined)[];
  }[];
  /** For values that are factors of ten apart. */
  readonly logarithmic?: boolean;
  /** Where a line stands, such as the limit of the store. */
  readonly line?: number;
}

/**
 * Readable on white and on black, since not everything that shows a picture knows its background.
 */
const TEXT = '#7d8590';
/**
 * If the background is known, the letters have more contrast; they stay readable if a page
 * contradicts the system.
 */
const STYLE =
  `<style>@media (prefers-color-scheme:light){text[fill="${TEXT}"]{fill:#656d76}}` +
  `@media (prefers-color-scheme:dark){text[fill="${TEXT}"]{fill:#8f98a2}}</style>`;
const COLORS = ['#2f81f7', '#3fb950', '#d29922', '#a371f7', '#db6d28'];

const WIDTH = 860;
const ROW = 24;
const FRAME = 110;

const label = (value: number): string => {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
};

/** The picture as SVG. */
export const drawBars = ({
  title,
  unit,
  categories,
  series,
  logarithmic = false,
  line,
}: BarPicture): string => {
  const height = FRAME + categories.length * (series.length * ROW + 12);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  const text = { color: TEXT, fontFamily: 'system-ui, sans-serif' };
  const longest = Math.max(...categories.map((category) => category.length));
  const longestText = Math.max(
    ...series.flatMap(({ texts = [] }) => texts.map((text = '') => text.length)),
    0,
  );
  const faint = { lineStyle: { color: TEXT, opacity: 0.25 } };
  chart.setOption({
    animation: false,
    color: COLORS,
    textStyle: text,
    title: { text: title, left: 8, top: 4, textStyle: { ...text, fontSize: 15 } },
    legend: { show: series.length > 1, top: 30, left: 8, itemGap: 34, textStyle: text },
    // Without a browser, the width of a text is unknown: six and a half pixels per letter are
    // enough.
    grid: {
      left: 20 + 6.7 * longest,
      right: Math.max(70, 6.3 * longestText),
      top: series.length > 1 ? 62 : 40,
      bottom: 40,
    },
    xAxis: {
      type: logarithmic ? 'log' : 'value',
      name: unit,
      nameLocation: 'middle',
      nameGap: 24,
      nameTextStyle: text,
      axisLabel: text,
      splitLine: faint,
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: [...categories],
      axisLabel: text,
      axisLine: faint,
    },
    series: series.map(({ name, values, texts }, at) => ({
      type: 'bar' as const,
      name,
      data: values.map((value) => value ?? '-'),
      label: {
        show: true,
        position: 'right' as const,
        color: TEXT,
        formatter: ({
          value,
          dataIndex,
        }: {
          readonly value: unknown;
          readonly dataIndex: number;
        }) => texts?.[dataIndex] ?? label(Number(value)),
      },
      ...(line === undefined || at > 0
        ? {}
        : {
            markLine: {
              silent: true,
              symbol: 'none',
              lineStyle: { color: TEXT, type: 'dashed' as const },
              label: { show: false },
              data: [{ xAxis: line }],
            },
          }),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg.replace('>', `>${STYLE}`);
};

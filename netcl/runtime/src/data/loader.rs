//! Batches.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{ALIGNMENT, BufferHandle};
use crate::model::Seed;
use crate::tensor::{Element, Tensor, byte_count, element_count, vector};
use netcl_hal::host::plain;
use netcl_kernels::dtype::DType;
use netcl_kernels::philox::philox4x32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Batches are uploaded several at a time, up to this many bytes: one transfer instead of two for each batch.
const UPLOAD: usize = 16 << 20;

/// Gives the samples of a data set in batches `(x, labels)` on a device.
///
/// Every pass over `&loader` is an epoch; with [`DataLoader::shuffle`] each has another order, given by the seed and the
/// number of the epoch. The copy to the device does not wait for the device to finish what it is doing.
///
/// ```
/// use netcl::{Device, data::DataLoader};
/// let device = Device::host();
/// let loader = DataLoader::new(&device, &[0.0f32; 10 * 4], &[4], &[0u32; 10], &[])?.batch_size(4);
/// for batch in &loader {
///     let (x, labels) = batch?;
///     assert_eq!(x.shape()[0], labels.shape()[0]);
/// }
/// # Ok::<(), netcl::Error>(())
/// ```
pub struct DataLoader {
    device: Device,
    samples: usize,
    columns: [Column; 2],
    batch_size: usize,
    shuffle: Option<Seed>,
    drop_last: bool,
    epoch: AtomicU64,
}

/// One value of each sample.
struct Column {
    bytes: Vec<u8>,
    /// Of one sample.
    shape: Vec<usize>,
    /// Of one sample, in bytes.
    stride: usize,
    dtype: DType,
}

impl DataLoader {
    /// Over samples of shape `x_shape` and their labels of shape `label_shape` (`&[]` for one number each), both in
    /// order of samples. Batches of 32, in order, the last one smaller.
    ///
    /// # Errors
    ///
    /// If the lengths are no whole number of samples, or the two have different numbers of samples.
    pub fn new<X: Element, L: Element>(
        device: &Device,
        x: &[X],
        x_shape: &[usize],
        labels: &[L],
        label_shape: &[usize],
    ) -> Result<DataLoader> {
        let (x, samples) = Column::new(device, "x", x, x_shape)?;
        let (labels, label_samples) = Column::new(device, "labels", labels, label_shape)?;
        if samples != label_samples {
            return Err(wrong(format!(
                "x has {samples} samples and labels has {label_samples}; both must have as many"
            )));
        }
        Ok(DataLoader {
            device: device.clone(),
            samples,
            columns: [x, labels],
            batch_size: 32,
            shuffle: None,
            drop_last: false,
            epoch: AtomicU64::new(0),
        })
    }

    /// With batches of that size, at least 1: with 0 there are no batches, and each pass gives that error.
    pub fn batch_size(mut self, size: usize) -> DataLoader {
        self.batch_size = size;
        self
    }

    /// In another order each epoch.
    pub fn shuffle(mut self, seed: Seed) -> DataLoader {
        self.shuffle = Some(seed);
        self
    }

    /// Without a last batch that is smaller than the others.
    pub fn drop_last(mut self, drop: bool) -> DataLoader {
        self.drop_last = drop;
        self
    }

    /// How many samples there are.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// How many batches an epoch has.
    pub fn len(&self) -> usize {
        if self.batch_size == 0 {
            return 0;
        }
        if self.drop_last { self.samples / self.batch_size } else { self.samples.div_ceil(self.batch_size) }
    }

    /// Whether an epoch has no batch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batches of that epoch; iterating over `&loader` counts epochs by itself.
    pub fn epoch(&self, epoch: u64) -> Batches<'_> {
        let mut order: Vec<usize> = (0..self.samples).collect();
        if let Some(Seed(seed)) = self.shuffle {
            // Fisher and Yates; 64 random bits make the bias of the remainder far smaller than can be seen.
            for last in (1..order.len()).rev() {
                let counter = [last as u32, (last as u64 >> 32) as u32, epoch as u32, (epoch >> 32) as u32];
                let words = philox4x32(counter, [seed as u32, (seed >> 32) as u32]);
                let draw = u64::from(words[0]) << 32 | u64::from(words[1]);
                order.swap(last, (draw % (last as u64 + 1)) as usize);
            }
        }
        Batches { loader: self, order, next: 0, uploaded: Vec::new(), unusable: self.batch_size == 0 }
    }

    /// The range of samples of a batch.
    fn range(&self, batch: usize) -> std::ops::Range<usize> {
        let start = batch * self.batch_size;
        start..start.saturating_add(self.batch_size).min(self.samples)
    }
}

impl<'a> IntoIterator for &'a DataLoader {
    type Item = Result<(Tensor, Tensor)>;
    type IntoIter = Batches<'a>;

    fn into_iter(self) -> Batches<'a> {
        self.epoch(self.epoch.fetch_add(1, Ordering::Relaxed))
    }
}

impl std::fmt::Debug for DataLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, labels] = &self.columns;
        f.debug_struct("DataLoader")
            .field("device", &self.device.to_string())
            .field("samples", &self.samples)
            .field("x", &format_args!("{} {:?}", x.dtype, x.shape))
            .field("labels", &format_args!("{} {:?}", labels.dtype, labels.shape))
            .field("batch_size", &self.batch_size)
            .field("shuffle", &self.shuffle)
            .field("drop_last", &self.drop_last)
            .finish_non_exhaustive()
    }
}

impl Column {
    /// The column and how many samples it has.
    fn new<T: Element>(device: &Device, name: &str, elements: &[T], shape: &[usize]) -> Result<(Column, usize)> {
        let per_sample = element_count("DataLoader::new", shape)?;
        let stride = byte_count("DataLoader::new", shape, T::DTYPE)?;
        if per_sample == 0 || !elements.len().is_multiple_of(per_sample) {
            return Err(wrong(format!(
                "{name} has {} elements, which is no whole number of samples of shape {shape:?}",
                elements.len()
            )));
        }
        let bytes = vector::collect(device, size_of_val(elements), plain::bytes_of(elements).iter().copied())?;
        let column = Column { bytes, shape: shape.to_vec(), stride, dtype: T::DTYPE };
        Ok((column, elements.len() / per_sample))
    }

    /// Bytes of `samples` of them, to the next boundary.
    fn padded(&self, samples: usize) -> usize {
        (samples * self.stride).next_multiple_of(ALIGNMENT)
    }
}

/// The batches of one epoch.
pub struct Batches<'a> {
    loader: &'a DataLoader,
    order: Vec<usize>,
    /// The next batch to be uploaded.
    next: usize,
    /// On the device and not given yet, last first.
    uploaded: Vec<(Tensor, Tensor)>,
    /// Whether it has no batch but an error to give: the batch size is 0.
    unusable: bool,
}

impl Iterator for Batches<'_> {
    type Item = Result<(Tensor, Tensor)>;

    fn next(&mut self) -> Option<Self::Item> {
        if std::mem::take(&mut self.unusable) {
            return Some(Err(Error::Setting {
                operation: "DataLoader".to_owned(),
                setting: "batch_size",
                given: "0".to_owned(),
                accepted: "1 or more samples",
            }));
        }
        if self.uploaded.is_empty()
            && self.next < self.loader.len()
            && let Err(error) = self.upload()
        {
            // Nothing after a failure: the batches would have a gap.
            self.next = self.loader.len();
            return Some(Err(error));
        }
        self.uploaded.pop().map(Ok)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.loader.len() - self.next + self.uploaded.len() + usize::from(self.unusable);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Batches<'_> {}

impl Batches<'_> {
    /// Gathers the next batches into one block, every tensor aligned, and starts its way to the device.
    fn upload(&mut self) -> Result<()> {
        let loader = self.loader;
        let batch_bytes = |batch: usize| -> usize {
            loader.columns.iter().map(|column| column.padded(loader.range(batch).len())).sum()
        };
        let (mut end, mut bytes) = (self.next, 0);
        while end < loader.len() && (end == self.next || bytes + batch_bytes(end) <= UPLOAD) {
            bytes += batch_bytes(end);
            end += 1;
        }
        let mut image = vector::zeros::<u8>(&loader.device, bytes)?;
        let mut start = 0;
        for batch in self.next..end {
            let range = loader.range(batch);
            for column in &loader.columns {
                let rows = image[start..].chunks_exact_mut(column.stride);
                for (row, &sample) in rows.zip(&self.order[range.clone()]) {
                    row.copy_from_slice(&column.bytes[sample * column.stride..][..column.stride]);
                }
                start += column.padded(range.len());
            }
        }
        let block = loader.device.allocate_for_upload(bytes)?;
        block.write_first(&image)?;
        let mut start = 0;
        for batch in self.next..end {
            let samples = loader.range(batch).len();
            let mut tensor = |column: &Column| -> Result<Tensor> {
                let region: BufferHandle = block.part(start, samples * column.stride)?;
                start += column.padded(samples);
                let shape: Arc<[usize]> = std::iter::once(samples).chain(column.shape.iter().copied()).collect();
                Ok(Tensor::from_region(region, shape, column.dtype, loader.device.clone()))
            };
            let [x, labels] = &loader.columns;
            self.uploaded.push((tensor(x)?, tensor(labels)?));
        }
        self.uploaded.reverse();
        self.next = end;
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::Shape { operation: "DataLoader::new", message }
}

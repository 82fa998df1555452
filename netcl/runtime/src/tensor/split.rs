//! A tensor as several.

use crate::tensor::{AsInteger, Tensor};

impl Tensor {
    /// Parts of `size` elements along `axis`, the last of what is left; a size of 0 counts as 1.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_iter(&Device::host(), [1.0f32, 2.0, 3.0])?;
    /// let parts = x.split(0, 2);
    /// assert_eq!((parts[0].shape(), parts[1].to_vec::<f32>()?), (&[2][..], vec![3.0]));
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// Where there is no such axis, that is the value of the only part.
    #[track_caller]
    pub fn split(&self, axis: impl AsInteger, size: usize) -> Vec<Tensor> {
        let axis = axis.as_integer();
        let Some(length) = self.length_along(axis) else { return vec![self.narrow(axis, 0, size)] };
        let size = size.max(1);
        let starts = (0..length.max(1)).step_by(size);
        starts.map(|start| self.narrow(axis, start, size.min(length - start))).collect()
    }

    /// `count` parts along `axis`, all of one size but for the last, which may be smaller; fewer where there are fewer elements.
    #[track_caller]
    pub fn chunk(&self, axis: impl AsInteger, count: usize) -> Vec<Tensor> {
        let length = self.length_along(axis.as_integer()).unwrap_or(0);
        self.split(axis, length.div_ceil(count.max(1)))
    }

    /// How many elements there are along `axis`, counted from the end if negative; `None` if there is no such axis.
    fn length_along(&self, axis: i64) -> Option<usize> {
        let counted = if axis < 0 { axis + self.shape().len() as i64 } else { axis };
        self.shape().get(usize::try_from(counted).ok()?).copied()
    }
}

//! Batches of samples in memory, on every device that computes.

use netcl::data::DataLoader;
use netcl::{Device, Seed};
use netcl_fixtures::devices::all;

#[test]
fn an_epoch_has_every_sample_once_in_another_order() {
    for device in all() {
        let samples = 103usize;
        let x: Vec<f32> = (0..samples * 3).map(|i| i as f32).collect();
        let labels: Vec<u32> = (0..samples as u32).collect();
        let loader = DataLoader::new(&device, &x, &[3], &labels, &[]).unwrap().batch_size(10).shuffle(Seed(4));
        let epoch = |loader: &DataLoader| -> Vec<u32> {
            let mut seen = Vec::new();
            for batch in loader {
                let (x, labels) = batch.unwrap();
                assert!(x.shape() == [10, 3] || x.shape() == [3, 3]);
                let (x, labels) = (x.to_vec::<f32>().unwrap(), labels.to_vec::<u32>().unwrap());
                for (row, label) in x.chunks_exact(3).zip(&labels) {
                    let first = *label as f32 * 3.0;
                    assert_eq!(row, [first, first + 1.0, first + 2.0]);
                }
                seen.extend(labels);
            }
            seen
        };
        let (first, second) = (epoch(&loader), epoch(&loader));
        assert_ne!(first, second);
        for order in [&first, &second] {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, labels);
        }
        let again = DataLoader::new(&device, &x, &[3], &labels, &[]).unwrap().batch_size(7).shuffle(Seed(4));
        assert_eq!(epoch_labels(&again), first, "the order is the seed's, whatever the batch size");
        assert_eq!(loader.len(), 11);
        let short = loader.drop_last(true);
        assert_eq!((short.len(), (&short).into_iter().count()), (10, 10));
    }
}

fn epoch_labels(loader: &DataLoader) -> Vec<u32> {
    loader.into_iter().flat_map(|batch| batch.unwrap().1.to_vec::<u32>().unwrap()).collect()
}

#[test]
fn a_loader_refuses_what_does_not_fit() {
    let device = Device::host();
    let text = |x: &[f32], shape: &[usize], labels: &[u32]| {
        DataLoader::new(&device, x, shape, labels, &[]).map(|_| ()).unwrap_err().to_string()
    };
    assert!(text(&[0.0; 10], &[3], &[0; 3]).contains("no whole number of samples of shape [3]"));
    assert!(text(&[0.0; 9], &[3], &[0; 4]).contains("x has 3 samples and labels has 4"));
    assert!(text(&[0.0; 9], &[0], &[0; 4]).contains("no whole number"));
    let empty = DataLoader::new(&device, &[] as &[f32], &[3], &[] as &[u32], &[]).unwrap();
    assert_eq!((&empty).into_iter().count(), 0);
}

#[test]
fn batches_of_nothing_are_one_error() {
    let loader = DataLoader::new(&Device::host(), &[0.0f32; 8], &[4], &[0u32; 2], &[]).unwrap().batch_size(0);
    assert_eq!((loader.len(), loader.is_empty()), (0, true));
    let mut batches = (&loader).into_iter();
    assert_eq!(batches.len(), 1);
    let error = batches.next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "`DataLoader`: `batch_size` is 0; accepted: 1 or more samples");
    assert!(batches.next().is_none());
    assert!(format!("{loader:?}").contains("samples: 2"), "{loader:?}");
    let large = DataLoader::new(&Device::host(), &[0.0f32; 8], &[4], &[0u32; 2], &[]).unwrap().batch_size(usize::MAX);
    assert_eq!((&large).into_iter().count(), 1);
}
